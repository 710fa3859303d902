export { realmDomainsSlice } from './realm-domains.slice.js';
export { type AddressRejection, checkEmailDomain, listRejectedAddresses } from './check-email-domains.js';
