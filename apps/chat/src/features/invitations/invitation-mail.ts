import type { Tx } from '@switchboard/database';
import type { OutgoingMailWriter } from '../../infra/mail/index.js';
import { createInvitationLink } from './invitation-tokens.js';

/** Names of the inviting user and of the realm, for the text of an invitation email. */
export interface InvitationNames {
  readonly inviter: string;
  readonly realm: string;
}

/** Reads the names of the inviting user and of the realm. */
export async function readInvitationNames(tx: Tx, inviterId: number): Promise<InvitationNames> {
  const { rows } = await tx.query<InvitationNames>(
    'SELECT u.full_name AS inviter, r.name AS realm FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.id = $1',
    [inviterId],
  );
  return rows[0] ?? { inviter: '', realm: '' };
}

/** Enqueues one email per invitation, which contains the link of the invitation. */
export function writeInvitationMails(
  mails: OutgoingMailWriter,
  tx: Tx,
  origin: string,
  { inviter, realm }: InvitationNames,
  invited: readonly { readonly email: string; readonly token: string }[],
): void {
  for (const { email, token } of invited) {
    mails.enqueueMail(tx, {
      to: email,
      subject: `${inviter} invites you to ${realm}`,
      text:
        `${inviter} would like you to join ${realm}, a place for conversations in topics.\n\n` +
        `To make your account, open this page:\n${createInvitationLink(origin, token)}\n\n` +
        `If you do not know ${inviter}, there is nothing that you need to do.\n`,
    });
  }
}
