export { realmDomainsFeatureModule } from './realm-domains.slice.js';
export { type EmailAddressRejectionReason, checkEmailDomain, listRejectedAddresses } from './check-email-domains.js';
