import { z } from 'zod';
import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import type { WireRealmDomain } from './realm-domains.schemas.js';

/** Lists the accepted email domains of a realm, oldest first. */
export async function listRealmDomains({ prisma }: PrismaReader, realmId: number): Promise<WireRealmDomain[]> {
  const rows = await prisma.realmDomain.findMany({ where: { realmId }, orderBy: { id: 'asc' } });
  return rows.map(({ domain, allowSubdomains }) => ({ domain, allow_subdomains: allowSubdomains }));
}

/** Inserts an accepted email domain. Returns the id of the new row, or null if the realm already accepts the domain. */
export async function addRealmDomain(
  { prisma }: ChatTransaction,
  realmId: number,
  added: WireRealmDomain,
): Promise<number | null> {
  const data = [{ realmId, domain: added.domain, allowSubdomains: added.allow_subdomains }];
  const options = { skipDuplicates: true, select: { id: true } } as const;
  const [row] = await prisma.realmDomain.createManyAndReturn({ data, ...options });
  return row?.id ?? null;
}

/** Updates an accepted email domain. Returns false if the realm does not accept the domain. */
export async function updateRealmDomain(
  { prisma }: ChatTransaction,
  realmId: number,
  changed: WireRealmDomain,
): Promise<boolean> {
  const { domain, allow_subdomains: allowSubdomains } = changed;
  const { count } = await prisma.realmDomain.updateMany({ where: { realmId, domain }, data: { allowSubdomains } });
  return count > 0;
}

/** Removes an accepted email domain. Returns false if the realm does not accept the domain. */
export async function removeRealmDomain(
  { prisma }: ChatTransaction,
  realmId: number,
  domain: string,
): Promise<boolean> {
  const { count } = await prisma.realmDomain.deleteMany({ where: { realmId, domain } });
  return count > 0;
}

/**
 * Rule for the email addresses that a realm accepts for new accounts. `own-domains` accepts only domains of the realm.
 * `lasting` accepts all domains except those for disposable addresses, and `any` accepts all domains.
 */
export type EmailAddressPolicy = 'own-domains' | 'lasting' | 'any';

const realmDomainsOnlySettingsSchema = z.object({ emails_restricted_to_domains: z.literal(true) });
const anyAddressAllowedSettingsSchema = z.object({ disallow_disposable_email_addresses: z.literal(false) });

/** Returns the policy of a realm for the email addresses of new accounts. */
export async function getEmailAddressPolicy({ prisma }: PrismaReader, realmId: number): Promise<EmailAddressPolicy> {
  const realm = await prisma.realm.findFirst({ where: { id: realmId }, select: { settings: true } });
  if (realmDomainsOnlySettingsSchema.safeParse(realm?.settings).success) return 'own-domains';
  return anyAddressAllowedSettingsSchema.safeParse(realm?.settings).success ? 'any' : 'lasting';
}
