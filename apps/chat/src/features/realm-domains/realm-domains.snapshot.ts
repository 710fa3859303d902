import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireRealmDomain, wireRealmDomain } from './realm-domains.schemas.js';

const domainsPart = defineSqlSnapshotPart({
  types: ['realm_domains'],
  shape: { realm_domains: z.array(wireRealmDomain) },
  sql: `SELECT json_agg(json_build_object('domain', domain, 'allow_subdomains', allow_subdomains) ORDER BY id)
    FROM realm_domains WHERE realm_id = $1`,
  fields: (rows: WireRealmDomain[] | null) => ({ realm_domains: rows ?? [] }),
});

/** Snapshot part of the email domains that the realm accepts for new accounts. */
export const realmDomainSnapshotParts = [domainsPart];
