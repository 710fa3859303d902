import { isDisposableEmail } from 'disposable-email-domains-js';
import type { PrismaReader } from '../../infra/open-prisma.js';
import { createBadRequestError } from '../../errors.js';
import { type EmailAddressPolicy, getEmailAddressPolicy, listRealmDomains } from './realm-domains.repository.js';
import type { WireRealmDomain } from './realm-domains.schemas.js';

/**
 * Reason for which a realm rejects an email address: the address has a domain outside the realm's domains, or a domain
 * for disposable addresses.
 */
export type EmailAddressRejectionReason = 'foreign' | 'disposable';

/**
 * Lists the given email addresses that a realm rejects, with the reason for each rejection. Runs two SQL statements. A
 * realm that is restricted to certain domains accepts only addresses of these domains.
 */
export async function listRejectedAddresses(
  tx: PrismaReader,
  realmId: number,
  emails: readonly string[],
): Promise<Map<string, EmailAddressRejectionReason>> {
  if (emails.length === 0) return new Map();
  const policy = await getEmailAddressPolicy(tx, realmId);
  const domains = policy === 'own-domains' ? await listRealmDomains(tx, realmId) : [];
  return new Map(
    emails.flatMap((email) => {
      const fault = findEmailAddressRejectionReason(policy, domains, email);
      return fault === null ? [] : [[email, fault] as const];
    }),
  );
}

/**
 * Checks that a realm accepts an email address.
 *
 * @throws ApplicationError BAD_REQUEST for an address that the realm rejects
 */
export async function checkEmailDomain(tx: PrismaReader, realmId: number, email: string): Promise<void> {
  const fault = (await listRejectedAddresses(tx, realmId, [email])).get(email);
  if (fault === 'foreign') throw createBadRequestError(`Email '${email}' is not of a domain of this organization`);
  if (fault === 'disposable') throw createBadRequestError('Please use your real email address.');
}

function findEmailAddressRejectionReason(
  policy: EmailAddressPolicy,
  domains: readonly WireRealmDomain[],
  email: string,
): EmailAddressRejectionReason | null {
  if (policy === 'own-domains') return domains.some((domain) => isAddressInDomain(domain, email)) ? null : 'foreign';
  return policy === 'lasting' && isDisposableEmail(email) ? 'disposable' : null;
}

function isAddressInDomain({ domain, allow_subdomains: withSubdomains }: WireRealmDomain, email: string): boolean {
  const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return host === domain || (withSubdomains && host.endsWith(`.${domain}`));
}
