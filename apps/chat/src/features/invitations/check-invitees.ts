import { ApplicationError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { type EmailAddressRejectionReason, listRejectedAddresses } from '../realm-domains/index.js';
import { checkEmail } from '../../core/users/index.js';
import type { ChatTransaction } from '../../infra/open-prisma.js';

/**
 * An email address that cannot be invited, with the reason. `isDeactivated` is true if the address belongs to a
 * deactivated account.
 */
export type RejectedInvitee = [email: string, reason: string, isDeactivated: boolean];

const rejectionReasons: Readonly<Record<EmailAddressRejectionReason, string>> = {
  foreign: 'Outside of the domains of this organization.',
  disposable: 'Please use your real email address.',
};

/** Result of the check of email addresses that a user wants to invite. */
export interface CheckedInvitees {
  /** Email addresses to which invitations will be sent. */
  readonly emails: readonly string[];
  /** Email addresses that are invalid or outside the organization. If this list is not empty, no invitation is sent. */
  readonly invalid: readonly RejectedInvitee[];
  /** Email addresses that already have an account. Invitations to the remaining addresses are still sent. */
  readonly members: readonly RejectedInvitee[];
}

/**
 * Splits a text into email addresses at commas and line ends. An address may have the form `Name <address>`. Removes
 * duplicates.
 */
export function splitEmailAddresses(text: string): string[] {
  const addresses = text
    .split(/[,\n]/)
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');
  return [...new Map(addresses.map((address) => [normalizeTextForComparison(address), address])).values()];
}

/** Checks the email addresses that a user wants to invite. Executes two SQL statements for any number of addresses. */
export async function checkInvitees(
  tx: ChatTransaction,
  realmId: number,
  addresses: readonly string[],
): Promise<CheckedInvitees> {
  const malformed = addresses.filter((address) => !isEmail(address));
  const wellFormed = addresses.filter((address) => isEmail(address));
  const refused = await listRejectedAddresses(tx, realmId, wellFormed);
  const accounts = await findAccountsByEmail(tx, realmId, wellFormed);
  const isKnown = (email: string) => accounts.has(normalizeTextForComparison(email));
  return {
    emails: wellFormed.filter((email) => !refused.has(email) && !isKnown(email)),
    invalid: [
      ...malformed.map((email): RejectedInvitee => [email, 'Enter a valid email address.', false]),
      ...[...refused].map(([email, fault]): RejectedInvitee => [email, rejectionReasons[fault], false]),
    ],
    members: wellFormed
      .filter((email) => isKnown(email) && !refused.has(email))
      .map((email): RejectedInvitee => {
        const isActive = accounts.get(normalizeTextForComparison(email)) === true;
        return [email, isActive ? 'Already has an account.' : 'Account has been deactivated.', !isActive];
      }),
  };
}

/** Creates the error for a request in which all or some invitations failed (docs/contract/chat.md 1.5). */
export function createInvitationFailedError(
  message: string,
  details: { readonly errors?: readonly RejectedInvitee[]; readonly sent?: boolean; readonly dailyLimit?: boolean },
): ApplicationError {
  return chatErrors.create('INVITATION_FAILED', {
    message,
    fields: {
      errors: details.errors ?? [],
      sent_invitations: details.sent ?? false,
      license_limit_reached: false,
      daily_limit_reached: details.dailyLimit ?? false,
    },
  });
}

function isEmail(text: string): boolean {
  try {
    return checkEmail(text) !== '';
  } catch (error) {
    if (error instanceof ApplicationError) return false;
    throw error;
  }
}

/**
 * Returns a map with those of the given email addresses that belong to an account, in normalized form. The value of an
 * address is true if the account is active.
 */
async function findAccountsByEmail(
  tx: ChatTransaction,
  realmId: number,
  emails: readonly string[],
): Promise<Map<string, boolean>> {
  const { rows } = await tx.query<{ key: string; is_active: boolean }>(
    'SELECT delivery_email_key AS key, is_active FROM users WHERE realm_id = $1 AND delivery_email_key = ANY($2)',
    [realmId, emails.map((email) => normalizeTextForComparison(email))],
  );
  return new Map(rows.map((row) => [row.key, row.is_active]));
}
