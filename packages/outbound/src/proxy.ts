import { HostNameSet, NetworkSet, toCanonicalHost } from './host-set.js';
import { parseIpAddress } from './ip-address.js';

/**
 * Settings of a forward proxy for outgoing requests. The address of the proxy itself is not checked, because the
 * operator configures the proxy.
 */
export interface ProxyOptions {
  /** URL of the proxy, with the scheme `http://` or `https://`, and with credentials if the proxy requires them. */
  readonly url: string;
  /**
   * True if the proxy resolves host names and is trusted to reject forbidden destinations. Needed in networks in which
   * only the proxy can resolve names. By default, the proxy opens the tunnel to an IP address that this client has
   * checked.
   */
  readonly resolvesNames?: boolean;
  /**
   * Hosts that are reached without the proxy: exact names, `*.example.com` for subdomains, or networks in CIDR
   * notation.
   */
  readonly noProxy?: readonly string[];
}

/** Determines from {@link ProxyOptions} which hosts are reached through the proxy. */
export class ProxyRules {
  readonly #proxy: ProxyOptions;
  readonly #names: HostNameSet;
  readonly #networks: NetworkSet;

  /**
   * Parses the options of a proxy. @throws RangeError when the URL is not a proxy URL (see {@link isProxyUrl}), or an
   *   entry of `noProxy` with a slash is not a network
   */
  constructor(proxy: ProxyOptions) {
    if (!isProxyUrl(proxy.url)) throw new RangeError('A proxy is named by a URL of http or https');
    const exceptions = proxy.noProxy ?? [];
    const networks = exceptions.filter((entry) => entry.includes('/') || parseIpAddress(entry) !== null);
    this.#proxy = proxy;
    this.#names = new HostNameSet(exceptions.filter((entry) => !networks.includes(entry)));
    this.#networks = new NetworkSet(networks);
  }

  /** Returns the proxy for a host; returns null if the host name is in `noProxy`. */
  proxyForHost(host: string): ProxyOptions | null {
    return this.#names.has(toCanonicalHost(host)) ? null : this.#proxy;
  }

  /** Returns true if an IP address is in the list `noProxy` and is therefore reached without the proxy. */
  isExcepted(address: string): boolean {
    return this.#networks.contains(address);
  }
}

/**
 * Returns true if a text is the URL of a proxy. Its scheme is http or https, nothing follows host and port, and
 * credentials can be decoded.
 */
export function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return pathname === '/' && search === '' && hash === '';
}
