import type { Database, Tx } from '@switchboard/database';
import { divideMessageIds, maxMessageIdsPerEntry, packMessageIds } from '../../events/packed-message-ids.js';

/** Message ids of one event log entry in ascending order, as an array and in their compact text form. */
export interface PackedMessageIds {
  readonly ids: readonly number[];
  readonly packed: string;
}

/** Ids of all messages of a topic up to a certain message id. The ids were read without a lock. */
export interface KnownTopicMessages extends LockedTopicMessageState {
  readonly parts: readonly PackedMessageIds[];
}

/** State of a topic when its channel was last locked. Messages that are sent later have ids greater than `lastId`. */
interface LockedTopicMessageState {
  readonly topicId: number;
  /** Version of the topic, which changes when messages of the topic are moved or deleted. */
  readonly membershipVersion: number;
  readonly lastId: number;
}

/**
 * Thrown if a topic has too many messages to read all message ids while senders wait for the lock of the channel. The
 * caller must read the message ids before it locks the channel.
 */
export class LargeTopicError extends Error {
  constructor(readonly state: LockedTopicMessageState) {
    super('The messages of a large topic are read before its channel is locked');
  }
}

/** Options for reading the message ids of a topic whose channel is locked. */
export interface TopicMessageIdsReadOptions {
  readonly known: KnownTopicMessages | null;
  /** True to read all message ids, whatever their number is, while the channel is locked. */
  readonly readsAll: boolean;
}

/**
 * Reads the message ids of a topic whose channel is locked.
 *
 * @returns lists of at most {@link maxMessageIdsPerEntry} ids, ascending
 * @throws LargeTopicError
 */
export async function readTopicMessageIds(
  tx: Tx,
  topicId: number,
  { known, readsAll }: TopicMessageIdsReadOptions,
): Promise<readonly PackedMessageIds[]> {
  const { rows } = await tx.query<{ version: number; last: number | null }>(
    `SELECT membership_version AS version, (SELECT max(id) FROM messages WHERE topic_id = $1) AS last
     FROM topics WHERE id = $1`,
    [topicId],
  );
  const [topic] = rows;
  if (topic === undefined) throw new Error('The topic of a locked channel is missing');
  const state = { topicId, membershipVersion: topic.version, lastId: topic.last ?? 0 };
  const isKnown = known?.topicId === topicId && known.membershipVersion === topic.version;
  const before = isKnown ? known.parts : [];
  const most = readsAll ? null : maxMessageIdsPerEntry + 1;
  const ids = await readMessageIds(tx, state, isKnown ? known.lastId : 0, most);
  if (most !== null && ids.length === most) throw new LargeTopicError(state);
  return [...before, ...splitMessageIdsIntoEntries(ids)];
}

/**
 * Number of message ids that one statement reads. Parsing more message ids in one step would block the event loop for
 * too long.
 */
const messageIdsPerStatement = 5 * maxMessageIdsPerEntry;

/** Reads the message ids of a large topic without a lock, while users can still send messages. */
export async function readLargeTopic(database: Database, { state }: LargeTopicError): Promise<KnownTopicMessages> {
  const parts: PackedMessageIds[] = [];
  for (;;) {
    const ids = await readMessageIds(database, state, parts.at(-1)?.ids.at(-1) ?? 0, messageIdsPerStatement);
    parts.push(...splitMessageIdsIntoEntries(ids));
    if (ids.length < messageIdsPerStatement) return { ...state, parts };
  }
}

async function readMessageIds(
  tx: Tx | Database,
  state: LockedTopicMessageState,
  after: number,
  most: number | null,
): Promise<number[]> {
  const { rows } = await tx.query<{ ids: string | null }>(
    `SELECT string_agg(id::text, ',' ORDER BY id) AS ids FROM (
       SELECT id FROM messages WHERE topic_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4) part`,
    [state.topicId, after, state.lastId, most],
  );
  const ids = rows[0]?.ids ?? null;
  return ids === null ? [] : ids.split(',').map(Number);
}

/** Divides message ids into lists, each of which fits into one event log entry. */
export function splitMessageIdsIntoEntries(ids: readonly number[]): PackedMessageIds[] {
  if (ids.length === 0) return [];
  return divideMessageIds(ids).map((part) => ({ ids: part, packed: packMessageIds(part) }));
}
