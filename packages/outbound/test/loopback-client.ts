import { OutboundClient, publicOnly, type OutboundClientOptions } from '../src/index.js';

/** A client to which every name is this machine. Whoever makes it closes it. */
export function loopbackClient(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  return new OutboundClient({
    policy: { ...publicOnly, allowLoopback: true },
    resolver: () => Promise.resolve(['127.0.0.1']),
    ...options,
  });
}
