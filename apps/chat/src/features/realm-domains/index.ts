export { type AddressFault, checkEmailDomain, listRefusedAddresses } from './email-domains.js';
export { ManageDomains } from './manage-domains.action.js';
export { RealmDomainsController } from './realm-domains.controller.js';
export { realmDomainEvents } from './realm-domains.events.js';
export { realmDomainSnapshotParts } from './realm-domains.snapshot.js';
