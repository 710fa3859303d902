export { publicAddressesOnly, type AddressPolicy } from './address-policy.js';
export type { AddressRange } from './address-ranges.js';
export type { TlsOptions } from './connect-to-route.js';
export * from './outbound-errors.js';
export type { OutboundHeaders } from './outbound-headers.js';
export { OutboundClient } from './outbound-client.js';
export type { OutboundClientOptions, OutboundLimits, OutboundRequest, OutboundResponse } from './outbound-options.js';
export { isProxyUrl, type ProxyOptions } from './proxy.js';
export { systemResolver, type Resolver } from './name-resolver.js';
