import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { parseDecimalDigits, type ChannelReference } from './parse-recipients.js';

/**
 * Lock mode for the channel of a message that a transaction sends. With `shared`, other messages can be sent at the
 * same time. `exclusive` is for the first message of a channel, which becomes `first_message_id`.
 */
export type ChannelSendLock = 'shared' | 'exclusive';

/**
 * Error after which the sending of a message starts again in a new transaction. Thrown if another lock mode is needed,
 * or if the channel's name now belongs to another channel. A transaction never upgrades its lock, because two senders
 * with a shared lock would wait for each other.
 */
export class RestartSendError extends Error {
  constructor(readonly lock: ChannelSendLock) {
    super('The send starts over in a new transaction');
  }
}

/**
 * Locks the sender until the transaction ends, and the recipient row of each channel to which the reference may refer.
 * Changes of a channel, of its subscriptions and of the sender's account lock the same rows. The caller must read the
 * data that decides about the message in later SQL statements, which see all changes made before the locking.
 * @returns ids of the locked channels
 */
export async function lockChannelForSend(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  lock: ChannelSendLock,
): Promise<ReadonlySet<number>> {
  const { by, values } = getChannelReferenceSqlValues(reference);
  const { rows } = await tx.query<{ id: number }>(channelLockStatementByMode[lock][by], [
    actor.id,
    actor.realmId,
    ...values,
  ]);
  return new Set(rows.map(({ id }) => id));
}

type ChannelReferenceColumnKind = 'id' | 'name' | 'either';

/**
 * Returns the columns and values by which a reference identifies a channel. A reference that consists of digits may be
 * an id or a name.
 */
function getChannelReferenceSqlValues(reference: ChannelReference): {
  by: ChannelReferenceColumnKind;
  values: unknown[];
} {
  if ('id' in reference) return { by: 'id', values: [reference.id] };
  const digits = parseDecimalDigits(reference.name);
  const key = normalizeTextForComparison(reference.name);
  return digits === null ? { by: 'name', values: [key] } : { by: 'either', values: [digits, key] };
}

const channelConditionByReferenceKind: Readonly<Record<ChannelReferenceColumnKind, string>> = {
  id: 'c.id = $3::bigint',
  name: 'c.name_key = $3::text',
  either: '(c.id = $3::bigint OR c.name_key = $4::text) ORDER BY c.id',
};

const senderAndRecipientLockSql: Readonly<Record<ChannelSendLock, string>> = {
  shared: 'FOR SHARE OF sender, r',
  exclusive: 'FOR SHARE OF sender FOR NO KEY UPDATE OF r',
};

function createChannelLockStatements(lock: ChannelSendLock) {
  const statementOf = (by: ChannelReferenceColumnKind) => ({
    name: `lock-send-${lock}-by-${by}`,
    text: `SELECT c.id FROM users sender, channels c JOIN recipients r ON r.channel_id = c.id
      WHERE sender.id = $1 AND c.realm_id = $2 AND ${channelConditionByReferenceKind[by]} ${senderAndRecipientLockSql[lock]}`,
  });
  return { id: statementOf('id'), name: statementOf('name'), either: statementOf('either') };
}

const channelLockStatementByMode = {
  shared: createChannelLockStatements('shared'),
  exclusive: createChannelLockStatements('exclusive'),
};
