import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { wireRealmDomain } from './realm-domains.schemas.js';

const audience = 'All users of the realm.';

/** Addresses of one more domain may join. */
export const realmDomainAddEvent = defineEvent({
  name: 'realm_domains/add',
  audience,
  payload: wireRealmDomain,
}).as({
  type: 'realm_domains',
  op: 'add',
  fields: { realm_domain: wireRealmDomain },
  render: (domain) => ({ realm_domain: domain }),
});

/** Subdomains of a domain may join, or may not any more. */
export const realmDomainChangeEvent = defineEvent({
  name: 'realm_domains/change',
  audience,
  payload: wireRealmDomain,
}).as({
  type: 'realm_domains',
  op: 'change',
  fields: { realm_domain: wireRealmDomain },
  render: (domain) => ({ realm_domain: domain }),
});

/** Addresses of a domain may not join any more. */
export const realmDomainRemoveEvent = defineEvent({
  name: 'realm_domains/remove',
  audience,
  payload: z.strictObject({ domain: z.string() }),
}).as({
  type: 'realm_domains',
  op: 'remove',
  fields: { domain: z.string() },
  render: ({ domain }) => ({ domain }),
});

/** The events of this module. */
export const realmDomainEvents = [realmDomainAddEvent, realmDomainChangeEvent, realmDomainRemoveEvent];
