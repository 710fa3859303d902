import { AppError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { textKey } from '../../infra/text-key.js';
import { type AddressFault, listRefusedAddresses } from '../realm-domains/index.js';
import { checkEmail } from '../../core/users/index.js';
import type { ChatTx } from '../../infra/prisma.js';

/** Why an address cannot be invited; whether its account was deactivated. */
export type InviteeFault = [email: string, reason: string, isDeactivated: boolean];

const refusals: Readonly<Record<AddressFault, string>> = {
  foreign: 'Outside of the domains of this organization.',
  disposable: 'Please use your real email address.',
};

/** Result of validating the addresses that a user typed. */
export interface JudgedInvitees {
  /** Addresses to be invited. */
  readonly emails: readonly string[];
  /** Invalid addresses, or addresses outside the organization: nothing is sent if there is one. */
  readonly invalid: readonly InviteeFault[];
  /** Addresses with an account; the others are invited. */
  readonly members: readonly InviteeFault[];
}

/** Addresses between commas and line ends, `Name <address>` among them; each once. */
export function splitAddresses(text: string): string[] {
  const addresses = text
    .split(/[,\n]/)
    .map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');
  return [...new Map(addresses.map((address) => [textKey(address), address])).values()];
}

/** Judges addresses: two statements for any number. */
export async function judgeInvitees(
  tx: ChatTx,
  realmId: number,
  addresses: readonly string[],
): Promise<JudgedInvitees> {
  const malformed = addresses.filter((address) => !isEmail(address));
  const wellFormed = addresses.filter((address) => isEmail(address));
  const refused = await listRefusedAddresses(tx, realmId, wellFormed);
  const accounts = await findAccounts(tx, realmId, wellFormed);
  const isKnown = (email: string) => accounts.has(textKey(email));
  return {
    emails: wellFormed.filter((email) => !refused.has(email) && !isKnown(email)),
    invalid: [
      ...malformed.map((email): InviteeFault => [email, 'Enter a valid email address.', false]),
      ...[...refused].map(([email, fault]): InviteeFault => [email, refusals[fault], false]),
    ],
    members: wellFormed
      .filter((email) => isKnown(email) && !refused.has(email))
      .map((email): InviteeFault => {
        const isActive = accounts.get(textKey(email)) === true;
        return [email, isActive ? 'Already has an account.' : 'Account has been deactivated.', !isActive];
      }),
  };
}

/** The refusal of invitations, all of them or some (docs/contract/chat.md 1.5). */
export function invitationFailed(
  message: string,
  details: { readonly errors?: readonly InviteeFault[]; readonly sent?: boolean; readonly dailyLimit?: boolean },
): AppError {
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
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** By the keys of their addresses, whether they are active. */
async function findAccounts(tx: ChatTx, realmId: number, emails: readonly string[]): Promise<Map<string, boolean>> {
  const { rows } = await tx.query<{ key: string; is_active: boolean }>(
    'SELECT delivery_email_key AS key, is_active FROM users WHERE realm_id = $1 AND delivery_email_key = ANY($2)',
    [realmId, emails.map((email) => textKey(email))],
  );
  return new Map(rows.map((row) => [row.key, row.is_active]));
}
