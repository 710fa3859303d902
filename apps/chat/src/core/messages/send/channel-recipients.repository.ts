import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { toTextKey } from '../../../infra/normalized-text-key.js';
import { parseDecimalDigits, type ChannelReference } from './parse-recipients.js';

/**
 * Mode in which a send locks its channel. `shared`: other messages can be sent meanwhile. `exclusive`: for the first
 * message of a channel, which becomes `first_message_id`.
 */
export type ChannelSendLock = 'shared' | 'exclusive';

/**
 * Error that makes a send start again in a new transaction: another lock mode is needed, or the channel's name now
 * belongs to another channel. Locks are never upgraded, because two senders with a shared lock would wait for each
 * other.
 */
export class RestartSendError extends Error {
  constructor(readonly lock: ChannelSendLock) {
    super('The send starts over in a new transaction');
  }
}

/**
 * Locks the sender, and the recipient row of each channel that a reference may mean, until the transaction ends.
 * Changes of a channel, of its subscriptions and of the sender's account lock the same rows. Data that decides about
 * the message must be read by later statements, which see the database after the wait for these locks.
 * @returns ids of the locked channels
 */
export async function lockChannelForSend(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  lock: ChannelSendLock,
): Promise<ReadonlySet<number>> {
  const { by, values } = getChannelSelection(reference);
  const { rows } = await tx.query<{ id: number }>(channelLockStatementByKey[lock][by], [
    actor.id,
    actor.realmId,
    ...values,
  ]);
  return new Set(rows.map(({ id }) => id));
}

type ChannelSelectionKind = 'id' | 'name' | 'either';

/** Returns the columns and values by which a reference may identify a channel. Digits may be an id or a name. */
function getChannelSelection(reference: ChannelReference): { by: ChannelSelectionKind; values: unknown[] } {
  if ('id' in reference) return { by: 'id', values: [reference.id] };
  const digits = parseDecimalDigits(reference.name);
  const key = toTextKey(reference.name);
  return digits === null ? { by: 'name', values: [key] } : { by: 'either', values: [digits, key] };
}

const channelConditionByKind: Readonly<Record<ChannelSelectionKind, string>> = {
  id: 'c.id = $3::bigint',
  name: 'c.name_key = $3::text',
  either: '(c.id = $3::bigint OR c.name_key = $4::text) ORDER BY c.id',
};

const rowLockSql: Readonly<Record<ChannelSendLock, string>> = {
  shared: 'FOR SHARE OF sender, r',
  exclusive: 'FOR SHARE OF sender FOR NO KEY UPDATE OF r',
};

function channelLockStatements(lock: ChannelSendLock) {
  const statementOf = (by: ChannelSelectionKind) => ({
    name: `lock-send-${lock}-by-${by}`,
    text: `SELECT c.id FROM users sender, channels c JOIN recipients r ON r.channel_id = c.id
      WHERE sender.id = $1 AND c.realm_id = $2 AND ${channelConditionByKind[by]} ${rowLockSql[lock]}`,
  });
  return { id: statementOf('id'), name: statementOf('name'), either: statementOf('either') };
}

const channelLockStatementByKey = {
  shared: channelLockStatements('shared'),
  exclusive: channelLockStatements('exclusive'),
};
