import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { findUsers, type UserFoundByReference, type UserReference } from '../../access/find-users.js';
import { listGuestsWithoutUserAccess } from '../../access/user-visibility.js';
import { createBadRequestError, chatErrors } from '../../../errors.js';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import { emitUsersBecomingVisible } from '../../users/index.js';
import { rejectHiddenRecipients } from './reject-hidden-recipients.js';
import type { MessagePersonRecord } from '../wire/message-record-schema.js';
import { createDirectConversationLookupKey } from '../read/narrow/narrow-conditions.js';

/**
 * Participants of a direct message, including its sender. The transaction has locked the participants' rows in `users`
 * until its end.
 */
export interface DirectMessageParticipants {
  readonly recipientId: number;
  readonly participants: readonly MessagePersonRecord[];
  readonly realm: string;
  readonly sender: MessagePersonRecord;
}

/**
 * Loads the participants of a direct message, and the recipient row of their conversation. If the message makes
 * participants visible to guests with limited visibility, emits events about them to these guests.
 * @throws ApplicationError BAD_REQUEST for an unknown, hidden or deactivated recipient, or when the realm does not
 * allow the message; USER_DEACTIVATED when the sender was deactivated after the authentication
 */
export async function lockDirectMessageParticipants(
  tx: Tx,
  events: ChatEventWriter,
  actor: ChatActor,
  references: readonly UserReference[],
): Promise<DirectMessageParticipants> {
  const { participants, sender, ids } = await findDirectMessageParticipants(tx, actor, references, { lock: true });
  const { recipientId, realm } = await getDirectConversationRecipientId(tx, events, actor, ids);
  return { recipientId, participants, realm, sender };
}

/**
 * Checks that the actor may send a direct message to the given users. Takes no locks and creates no rows.
 *
 * @returns ids of the participants including the actor, in ascending order
 * @throws ApplicationError the errors of {@link lockDirectMessageParticipants}
 */
export async function checkDirectMessageParticipants(
  tx: Tx,
  actor: ChatActor,
  references: readonly UserReference[],
): Promise<readonly number[]> {
  const { ids } = await findDirectMessageParticipants(tx, actor, references, { lock: false });
  await checkDirectMessagePermission(tx, actor, ids);
  return ids;
}

/** Looks up the participants of a direct message: the users to whom the message is sent, and its sender. */
async function findDirectMessageParticipants(
  tx: Tx,
  actor: ChatActor,
  references: readonly UserReference[],
  { lock }: { readonly lock: boolean },
): Promise<{ participants: MessagePersonRecord[]; sender: MessagePersonRecord; ids: number[] }> {
  const found = await findUsers(tx, actor, [...references, actor.id], { lock, includeHidden: true });
  if (found.get(actor.id)?.isActive === false) throw chatErrors.create('USER_DEACTIVATED');
  rejectHiddenRecipients(found.values());
  const people = references.map((reference) => toConversationParticipant(found.get(reference), reference));
  const sender = toConversationParticipant(found.get(actor.id), actor.id);
  const participants = [...new Map([...people, sender].map((person) => [person.id, person])).values()];
  const ids = participants.map((person) => person.id).toSorted((a, b) => a - b);
  return { participants, sender, ids };
}

function toConversationParticipant(
  user: UserFoundByReference | undefined,
  reference: UserReference,
): MessagePersonRecord {
  if (user === undefined) {
    throw createBadRequestError(
      typeof reference === 'number' ? `Invalid user ID ${reference}` : `Invalid email '${reference}'`,
    );
  }
  const { isActive, isHidden: _, ...person } = user;
  if (!isActive) throw createBadRequestError(`'${user.fullName}' is no longer using Zulip.`);
  return person;
}

interface DirectMessagePermissionRow {
  recipient_id: number | null;
  permitted: boolean;
  may_initiate: boolean;
  realm: string;
}

async function getDirectConversationRecipientId(
  tx: Tx,
  events: ChatEventWriter,
  actor: ChatActor,
  ids: readonly number[],
): Promise<{ recipientId: number; realm: string }> {
  const key = createDirectConversationLookupKey(ids);
  const row = await checkDirectMessagePermission(tx, actor, ids);
  if (row.recipient_id !== null) return { recipientId: row.recipient_id, realm: row.realm };
  const hidden = await listGuestsWhoFirstSee(tx, actor.realmId, ids);
  const recipientId = await addDirectConversationRecipient(tx, actor.realmId, key, ids);
  await emitUsersBecomingVisible(tx, events, actor.realmId, hidden);
  return { recipientId, realm: row.realm };
}

/**
 * Checks that the actor may send messages to a direct conversation. Returns the id of the conversation's recipient row,
 * if the row exists.
 */
async function checkDirectMessagePermission(
  tx: Tx,
  actor: ChatActor,
  ids: readonly number[],
): Promise<DirectMessagePermissionRow> {
  const { rows } = await tx.query<DirectMessagePermissionRow>(
    { name: 'direct-destination', text: directMessagePermissionSql },
    [actor.realmId, createDirectConversationLookupKey(ids), ids, actor.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Realm ${actor.realmId} has no row`);
  if (!row.permitted) throw createBadRequestError('Direct messages are disabled in this organization.');
  if (row.recipient_id === null && !row.may_initiate) {
    throw createBadRequestError('You do not have permission to initiate direct message conversations.');
  }
  return row;
}

/**
 * Returns the guests with limited visibility for whom a new direct message makes a participant visible. The result maps
 * each participant to these guests.
 */
async function listGuestsWhoFirstSee(tx: Tx, realmId: number, ids: readonly number[]): Promise<Map<number, number[]>> {
  const among = new Set(ids);
  const entries = [...(await listGuestsWithoutUserAccess(tx, realmId, ids))]
    .map(([id, guestIds]) => [id, guestIds.filter((guestId) => among.has(guestId))] as const)
    .filter(([, guestIds]) => guestIds.length > 0);
  return new Map(entries);
}

const directMessagePermissionSql = `
  WITH permission AS (SELECT setting, group_id FROM realm_permissions
    WHERE realm_id = $1 AND setting IN ('direct_message_permission_group', 'direct_message_initiator_group'))
  SELECT
    (SELECT id FROM recipients WHERE realm_id = $1 AND participants_key = $2) AS recipient_id,
    EXISTS (SELECT 1 FROM permission p, unnest($3::int[]) AS participant(id)
      WHERE p.setting = 'direct_message_permission_group' AND p.group_id = ANY(user_group_ids(participant.id))
    ) OR (SELECT is_system_bot FROM users WHERE id = $4) AS permitted,
    EXISTS (SELECT 1 FROM permission p
      WHERE p.setting = 'direct_message_initiator_group' AND p.group_id = ANY(user_group_ids($4)))
      OR (SELECT is_system_bot FROM users WHERE id = $4) AS may_initiate,
    string_id AS realm
  FROM realms WHERE id = $1`;

/**
 * Returns the id of the recipient row for exactly the given users. Creates the row if it does not exist. Of two
 * concurrent first messages, the second message waits and then uses the row that the first message created.
 */
export async function addDirectConversationRecipient(
  tx: Tx,
  realmId: number,
  key: string,
  ids: readonly number[],
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO recipients (realm_id, participants_key, participant_ids) VALUES ($1, $2, $3)
     ON CONFLICT (realm_id, participants_key) DO UPDATE SET participants_key = EXCLUDED.participants_key
     RETURNING id`,
    [realmId, key, ids],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An upsert returned no row');
  return row.id;
}
