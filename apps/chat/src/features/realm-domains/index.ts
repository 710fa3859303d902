export { realmDomainsSlice } from './realm-domains.slice.js';
export { type AddressFault, checkEmailDomain, listRefusedAddresses } from './email-domains.js';
