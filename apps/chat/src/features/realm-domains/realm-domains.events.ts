import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireRealmDomainSchema } from './realm-domains.schemas.js';

const realmDomainsEventAudience = 'All users of the realm.';

/** Event sent when an email domain was added to the domains that the realm accepts for new accounts. */
export const realmDomainAddEvent = defineEventType({
  name: 'realm_domains/add',
  webhookOrder: 'type',
  audience: realmDomainsEventAudience,
  payload: wireRealmDomainSchema,
}).addVariant({
  type: 'realm_domains',
  op: 'add',
  fields: { realm_domain: wireRealmDomainSchema },
  render: (domain) => ({ realm_domain: domain }),
});

/** Event sent when the acceptance of subdomains changed for an accepted email domain. */
export const realmDomainChangeEvent = defineEventType({
  name: 'realm_domains/change',
  webhookOrder: 'type',
  audience: realmDomainsEventAudience,
  payload: wireRealmDomainSchema,
}).addVariant({
  type: 'realm_domains',
  op: 'change',
  fields: { realm_domain: wireRealmDomainSchema },
  render: (domain) => ({ realm_domain: domain }),
});

/** Event sent when an email domain was removed from the domains that the realm accepts for new accounts. */
export const realmDomainRemoveEvent = defineEventType({
  name: 'realm_domains/remove',
  webhookOrder: 'type',
  audience: realmDomainsEventAudience,
  payload: z.strictObject({ domain: z.string() }),
}).addVariant({
  type: 'realm_domains',
  op: 'remove',
  fields: { domain: z.string() },
  render: ({ domain }) => ({ domain }),
});

/** List of all event types of the realm domain feature. */
export const realmDomainEvents = [realmDomainAddEvent, realmDomainChangeEvent, realmDomainRemoveEvent];
