import { OutboundClient, publicAddressesOnly, type OutboundClientOptions } from '../src/index.js';

/** Creates an outbound HTTP client that resolves every host name to this machine. The caller must close the client. */
export function loopbackClient(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  return new OutboundClient({
    policy: { ...publicAddressesOnly, allowLoopback: true },
    resolver: () => Promise.resolve(['127.0.0.1']),
    ...options,
  });
}
