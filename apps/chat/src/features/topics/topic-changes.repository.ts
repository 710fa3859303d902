import { type ChangeStamp, readRowWithChangeStamp, type Tx } from '@switchboard/database';
import { mapWithPauses, shownTopicSql, topicJoinSql } from '../../core/messages/index.js';
import { topicVersionSql } from './topics.repository.js';

/**
 * Maximum number of new messages that are read to update a cached topic list. For more messages the list is read again.
 */
export const maxNewTopicMessages = 2_000;

/** Changes of a channel's topics since their cached list was read. */
export interface TopicChanges {
  readonly stamp: ChangeStamp;
  /** Version of each topic of the channel, by id. */
  readonly versions: ReadonlyMap<number, number>;
  /**
   * Messages with greater ids than the given id, newest first. If there are more than {@link maxNewTopicMessages}, the list
   * is incomplete.
   */
  readonly messages: readonly { readonly topicId: number; readonly id: number; readonly name: string }[];
  /**
   * Transaction id greater than the ids of all transactions that have begun to write; null if not requested, and on a
   * standby.
   */
  readonly nextXid: number | null;
}

/** Selection of the changes to read. */
export interface TopicChangesSelection {
  /** Message id; only messages with greater ids are read. */
  readonly afterId: number;
  /** True to request {@link TopicChanges.nextXid}, if there are new messages. */
  readonly wantsXid: boolean;
}

interface TopicChangesRow {
  versions: Buffer;
  messages: [topicId: number, id: number, name: string][] | null;
  next_xid: number | null;
}

/** Reads the changes of a channel's topics since a cached list was read. Takes about 0.3 microseconds per topic. */
export async function readTopicChanges(
  tx: Tx,
  channelId: number,
  { afterId, wantsXid }: TopicChangesSelection,
): Promise<TopicChanges> {
  const params = [channelId, afterId, wantsXid];
  const { row, stamp } = await readRowWithChangeStamp<TopicChangesRow>(tx, {
    sql: topicChangesSql,
    params,
    models: [],
  });
  return {
    stamp,
    versions: await unpackTopicVersions(row.versions),
    messages: (row.messages ?? []).map(([topicId, id, name]) => ({ topicId, id, name })),
    nextXid: row.next_xid,
  };
}

/** SQL expression of a new transaction id. It is null on a standby, which cannot assign transaction ids. */
const nextTransactionIdSql = 'CASE WHEN NOT pg_is_in_recovery() THEN pg_current_xact_id()::text::bigint END';

/** SQL of {@link TopicChangesRow}. The order makes the planner use the index of the channel's messages. */
const topicChangesSql = `
  SELECT (SELECT coalesce(string_agg(int8send(id) || int8send(${topicVersionSql}), ''::bytea), ''::bytea)
      FROM topics WHERE recipient_id = place.id) AS versions,
    recent.messages, CASE WHEN recent.messages IS NOT NULL AND $3 THEN ${nextTransactionIdSql} END AS next_xid
  FROM (SELECT (SELECT id FROM recipients WHERE channel_id = $1) AS id) place, LATERAL (
    SELECT json_agg(json_build_array(m.topic_id, m.id, ${shownTopicSql}) ORDER BY m.id DESC) AS messages
    FROM (SELECT id, topic_id, topic, topic_since FROM messages WHERE recipient_id = place.id AND id > $2
      ORDER BY recipient_id DESC, id DESC LIMIT ${maxNewTopicMessages + 1}) m ${topicJoinSql}) recent`;

const bytesPerTopicVersion = 16;

/** Number of topic versions that are processed before other work can run. Processing them takes about 1 ms. */
const versionsPerEventLoopTurn = 5_000;

async function unpackTopicVersions(bytes: Buffer): Promise<Map<number, number>> {
  const versions = new Map<number, number>();
  const sliceBytes = versionsPerEventLoopTurn * bytesPerTopicVersion;
  const places = Array.from({ length: Math.ceil(bytes.length / sliceBytes) }, (_, index) => index * sliceBytes);
  await mapWithPauses(places, (from) => {
    const end = Math.min(from + sliceBytes, bytes.length);
    for (let at = from; at < end; at += bytesPerTopicVersion)
      versions.set(readBigint(bytes, at), readBigint(bytes, at + 8));
  });
  return versions;
}

/** Reads a positive 8-byte integer below 2^53. */
const readBigint = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

/**
 * Returns a transaction id greater than the ids of all transactions that have begun to write, or null on a standby. Call
 * it after the statement that read the messages.
 */
export async function readNextTransactionId(tx: Tx): Promise<number | null> {
  const { rows } = await tx.query<{ xid: number | null }>(`SELECT ${nextTransactionIdSql} AS xid`);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no transaction id');
  return row.xid;
}
