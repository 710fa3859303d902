import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireRealmDomain, wireRealmDomainSchema } from './realm-domains.schemas.js';

const realmDomainsSnapshotPart = defineSqlSnapshotPart({
  types: ['realm_domains'],
  shape: { realm_domains: z.array(wireRealmDomainSchema) },
  sql: `SELECT json_agg(json_build_object('domain', domain, 'allow_subdomains', allow_subdomains) ORDER BY id)
    FROM realm_domains WHERE realm_id = $1`,
  fields: (rows: WireRealmDomain[] | null) => ({ realm_domains: rows ?? [] }),
});

/** Snapshot part that lists the email domains accepted for new accounts: a field of the `POST /register` response. */
export const realmDomainSnapshotParts = [realmDomainsSnapshotPart];
