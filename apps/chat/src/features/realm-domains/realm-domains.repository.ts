import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import type { WireRealmDomain } from './realm-domains.schemas.js';

/** The domains of a realm, oldest first. */
export async function listDomains(tx: SqlReader, realmId: number): Promise<WireRealmDomain[]> {
  const { rows } = await tx.query<WireRealmDomain>(
    'SELECT domain, allow_subdomains FROM realm_domains WHERE realm_id = $1 ORDER BY id',
    [realmId],
  );
  return rows;
}

/** Adds a domain; null when it is there. */
export async function addDomain(tx: Tx, realmId: number, domain: WireRealmDomain): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO realm_domains (realm_id, domain, allow_subdomains) VALUES ($1, $2, $3)
     ON CONFLICT DO NOTHING RETURNING id`,
    [realmId, domain.domain, domain.allow_subdomains],
  );
  return rows[0]?.id ?? null;
}

/** Changes a domain. Whether there is one. */
export async function updateDomain(tx: Tx, realmId: number, domain: WireRealmDomain): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE realm_domains SET allow_subdomains = $3 WHERE realm_id = $1 AND domain = $2',
    [realmId, domain.domain, domain.allow_subdomains],
  );
  return rowCount > 0;
}

/** Removes a domain. Whether there was one. */
export async function removeDomain(tx: Tx, realmId: number, domain: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM realm_domains WHERE realm_id = $1 AND domain = $2', [
    realmId,
    domain,
  ]);
  return rowCount > 0;
}

/** Which addresses a realm lets in: those of its own domains, those that are not thrown away after use, or any. */
export type AddressPolicy = 'own-domains' | 'lasting' | 'any';

/** Reads a realm's policy for addresses. */
export async function getAddressPolicy(tx: SqlReader, realmId: number): Promise<AddressPolicy> {
  const { rows } = await tx.query<{ policy: AddressPolicy }>(
    `SELECT CASE WHEN settings @> '{"emails_restricted_to_domains": true}' THEN 'own-domains'
       WHEN settings @> '{"disallow_disposable_email_addresses": false}' THEN 'any' ELSE 'lasting' END AS policy
     FROM realms WHERE id = $1`,
    [realmId],
  );
  return rows[0]?.policy ?? 'lasting';
}
