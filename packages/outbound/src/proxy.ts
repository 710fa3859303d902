import { HostNameSet, NetworkSet, toCanonicalHost } from './host-set.js';
import { parseIpAddress } from './ip-address.js';

/** A forward proxy. Its own address is not checked, because the operator configures it. */
export interface ProxyOptions {
  /** `http://` or `https://` URL, with credentials if the proxy requires them. */
  readonly url: string;
  /**
   * True to send the host name to the proxy and to trust it to reject forbidden destinations, for networks in which
   * only the proxy can resolve names. By default the tunnel is opened to the address that this client has checked.
   */
  readonly resolvesNames?: boolean;
  /** Hosts that are reached without the proxy: names, `*.example.com` for names below, networks in CIDR notation. */
  readonly noProxy?: readonly string[];
}

/** Decides, by {@link ProxyOptions}, which hosts are reached through the proxy. */
export class ProxyRules {
  readonly #proxy: ProxyOptions;
  readonly #names: HostNameSet;
  readonly #networks: NetworkSet;

  /**
   * @throws RangeError when the URL is not a proxy URL (see {@link isProxyUrl}), or an entry with a slash is not a
   *   network
   */
  constructor(proxy: ProxyOptions) {
    if (!isProxyUrl(proxy.url)) throw new RangeError('A proxy is named by a URL of http or https');
    const exceptions = proxy.noProxy ?? [];
    const networks = exceptions.filter((entry) => entry.includes('/') || parseIpAddress(entry) !== null);
    this.#proxy = proxy;
    this.#names = new HostNameSet(exceptions.filter((entry) => !networks.includes(entry)));
    this.#networks = new NetworkSet(networks);
  }

  /** Returns the proxy for a host; null if the host name is in `noProxy`. */
  proxyForHost(host: string): ProxyOptions | null {
    return this.#names.has(toCanonicalHost(host)) ? null : this.#proxy;
  }

  /** Returns true if an address is in `noProxy`. */
  isExcepted(address: string): boolean {
    return this.#networks.contains(address);
  }
}

/**
 * Returns true if a text is the URL of a proxy: http or https, nothing after host and port, credentials that can be
 * decoded.
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
