import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { OutgoingMailWriter } from '../../infra/mail/index.js';
import { getAudienceOfUserEvents, realmUserUpdateEvent, type UserRecord } from '../../core/users/index.js';

/** Name that is shown for an account whose profile was deleted. */
const deletedAccountName = 'Deleted user';

/**
 * Enqueues the email that informs a user about the deactivation of the user's account. The email contains the
 * administrator's comment.
 */
export async function enqueueDeactivationEmail(
  mails: OutgoingMailWriter,
  tx: Tx,
  actor: ChatActor,
  target: UserRecord,
  comment: string,
): Promise<void> {
  const { rows } = await tx.query<{ actor: string; realm: string; email: string }>(
    `SELECT a.full_name AS actor, r.name AS realm, u.delivery_email AS email
     FROM users u JOIN realms r ON r.id = u.realm_id JOIN users a ON a.id = $2 WHERE u.id = $1`,
    [target.id, actor.id],
  );
  const [names] = rows;
  if (names === undefined) return;
  const said = comment.trim() === '' ? '' : `\n${names.actor} says:\n\n${comment.trim()}\n`;
  mails.enqueueMail(tx, {
    to: names.email,
    subject: `Your account in ${names.realm} is deactivated`,
    text: `${names.actor} has deactivated your account in ${names.realm}. You cannot sign in any more.\n${said}`,
  });
}

/**
 * Replaces the name of a deactivated account with a placeholder, and permanently deletes the credentials of the
 * account. The account cannot be reactivated afterwards (docs/contract/chat.md 6.5).
 */
export async function deleteProfile(events: ChatEventWriter, tx: Tx, realmId: number, userId: number): Promise<void> {
  await tx.query(
    `UPDATE users SET is_deleted = true, full_name = $2, timezone = '', avatar_source = 'G', password_hash = NULL,
       api_key_sealed = NULL, api_key_digest = NULL, api_key_pepper_id = NULL
     WHERE id = $1`,
    [userId, deletedAccountName],
  );
  await tx.query('DELETE FROM api_keys WHERE user_id = $1', [userId]);
  const { audience } = await getAudienceOfUserEvents(tx, realmId, userId);
  const payload = { userId, change: { full_name: deletedAccountName } };
  events.write(tx, realmId, realmUserUpdateEvent, { audience, payload });
}
