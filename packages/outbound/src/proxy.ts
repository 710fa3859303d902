import { HostNames, Networks, canonicalHost } from './host-set.js';
import { parseAddress } from './ip-address.js';

/** A forward proxy. Its own address is not checked, because the operator configures it. */
export interface ProxyOptions {
  /** `http://` or `https://`, with credentials where the proxy wants them. */
  readonly url: string;
  /**
   * True hands the proxy the host's name and trusts it to refuse what must not be reached: for networks where only the
   * proxy can resolve names. By default the tunnel is opened to the address that was checked here.
   */
  readonly resolvesNames?: boolean;
  /** Hosts that are reached without it: names, `*.example.com` for those below, networks in CIDR notation. */
  readonly noProxy?: readonly string[];
}

/** Compiled {@link ProxyOptions}. */
export class ProxyRules {
  readonly #proxy: ProxyOptions;
  readonly #names: HostNames;
  readonly #networks: Networks;

  /** @throws RangeError when the URL is none of a proxy, or something with a slash is no network. */
  constructor(proxy: ProxyOptions) {
    if (!isProxyUrl(proxy.url)) throw new RangeError('A proxy is named by a URL of http or https');
    const exceptions = proxy.noProxy ?? [];
    const networks = exceptions.filter((entry) => entry.includes('/') || parseAddress(entry) !== null);
    this.#proxy = proxy;
    this.#names = new HostNames(exceptions.filter((entry) => !networks.includes(entry)));
    this.#networks = new Networks(networks);
  }

  /** The proxy for a host, unless its name is an exception. */
  forHost(host: string): ProxyOptions | null {
    return this.#names.has(canonicalHost(host)) ? null : this.#proxy;
  }

  /** Returns true if the address is reached without the proxy. */
  excepts(address: string): boolean {
    return this.#networks.hold(address);
  }
}

/** Whether a text names a proxy: http or https, nothing after the host and port, credentials that can be decoded. */
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
