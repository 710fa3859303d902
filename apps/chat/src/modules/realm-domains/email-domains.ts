import type { SqlReader } from '../../access/sql-reader.js';
import { badRequest } from '../../errors.js';
import { isRestricted, listDomains } from './realm-domains.repository.js';
import type { WireRealmDomain } from './realm-domains.schemas.js';

/** Those addresses that a realm does not let in, because it is restricted to domains of its own. Two statements. */
export async function listForeignAddresses(
  tx: SqlReader,
  realmId: number,
  emails: readonly string[],
): Promise<string[]> {
  if (emails.length === 0 || !(await isRestricted(tx, realmId))) return [];
  const domains = await listDomains(tx, realmId);
  return emails.filter((email) => !domains.some((domain) => covers(domain, email)));
}

/** @throws AppError BAD_REQUEST for an address that the realm does not let in */
export async function checkEmailDomain(tx: SqlReader, realmId: number, email: string): Promise<void> {
  if ((await listForeignAddresses(tx, realmId, [email])).length === 0) return;
  throw badRequest(`Email '${email}' is not of a domain of this organization`);
}

function covers({ domain, allow_subdomains: withSubdomains }: WireRealmDomain, email: string): boolean {
  const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return host === domain || (withSubdomains && host.endsWith(`.${domain}`));
}
