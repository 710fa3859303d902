import type { Database, Tx } from '@switchboard/database';
import { lockUserRow, lockChannelRecipients } from '../database-locks.js';

/** Maximum number of messages per transaction for which the service writes the rows that soft deactivation omitted. */
const messagesPerOmittedRowsBatch = 5_000;

/**
 * Maximum number of channels per transaction for which the service writes the message rows that soft deactivation
 * omitted.
 */
const channelsPerOmittedRowsBatch = 20;

/**
 * Progress of writing a user's omitted message rows: the last processed channel and message, and the message id after
 * which rows may be missing.
 */
interface OmittedRowsWriteProgress {
  readonly channelId: number;
  readonly messageId: number;
  readonly afterMessageId: number;
}

interface OmittedRowsBatch {
  readonly count: number;
  readonly channelId: number | null;
  readonly messageId: number | null;
}

/**
 * Writes message rows that were omitted while a user was soft-deactivated. Several processes may write concurrently,
 * and the work continues after a crash. Concurrent requests of one user in a process share one execution on one
 * database connection.
 */
export class OmittedMessageRowWriter {
  readonly #returns = new Map<number, Promise<void>>();

  constructor(private readonly database: Database) {}

  /** Writes the omitted message rows of a user. Resolves when this or another process has written all these rows. */
  writeOmittedRows(userId: number): Promise<void> {
    const known = this.#returns.get(userId);
    if (known !== undefined) return known;
    const started = this.#reactivate(userId).finally(() => this.#returns.delete(userId));
    this.#returns.set(userId, started);
    return started;
  }

  async #reactivate(userId: number): Promise<void> {
    const { rowCount } = await this.database.query('UPDATE soft_deactivations SET is_back = true WHERE user_id = $1', [
      userId,
    ]);
    if (rowCount === 0) return;
    await this.#awaitConcurrentWriters(userId);
    let isFilled = false;
    while (!isFilled) isFilled = await this.database.inTransaction((tx) => writeBatchOfOmittedRows(tx, userId));
    await this.#awaitConcurrentWriters(userId);
    await this.database.query('DELETE FROM soft_deactivations WHERE user_id = $1', [userId]);
  }

  /**
   * Waits for concurrent transactions that started before the user returned. First, transactions that send messages
   * without rows for the user must commit; later transactions write rows for the user. A second call at the end waits
   * for edits and reactions that did not see the new rows. Otherwise, the events of these changes would be wrong for
   * the user. Transactions that subscribe the user lock the user's row in shared mode, and may post to the channel
   * before their subscription is visible.
   */
  async #awaitConcurrentWriters(userId: number): Promise<void> {
    await lockUserRow(this.database, userId);
    const channelIds = await listEverSubscribedChannels(this.database, userId, 0);
    for (let from = 0; from < channelIds.length; from += channelsPerOmittedRowsBatch) {
      await lockChannelRecipients(
        this.database,
        channelIds.slice(from, from + channelsPerOmittedRowsBatch),
        'exclusive',
      );
    }
  }
}

/**
 * Lists the ids of the channels to which the user ever subscribed, in ascending order. The list starts at the channel
 * id `from`.
 */
async function listEverSubscribedChannels(tx: Tx, userId: number, from: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT DISTINCT r.channel_id AS id FROM subscription_changes sc JOIN recipients r ON r.id = sc.recipient_id
     WHERE sc.user_id = $1 AND sc.kind = 'began' AND r.channel_id >= $2 ORDER BY 1`,
    [userId, from],
  );
  return rows.map(({ id }) => id);
}

/**
 * Writes one batch of the message rows that soft deactivation omitted for a user. The user remains soft-deactivated
 * until all rows are written.
 *
 * @returns true if all rows of the user are written
 */
export async function writeBatchOfOmittedRows(tx: Tx, userId: number): Promise<boolean> {
  const progress = await lockOmittedRowsWriteProgress(tx, userId);
  if (progress === undefined) return true;
  // A partly processed channel has many messages, so the channels after it need not be read yet.
  const most = progress.messageId > 0 ? 1 : channelsPerOmittedRowsBatch;
  const channelIds = (await listEverSubscribedChannels(tx, userId, progress.channelId)).slice(0, most);
  const last = channelIds.at(-1);
  if (last === undefined) return true;
  // Moves, deletions and changes of subscriptions lock the same rows exclusively; sends lock them in shared mode.
  await lockChannelRecipients(tx, channelIds, 'shared');
  const { rows } = await tx.query<OmittedRowsBatch>(insertNextMissingRowsSql, [
    userId,
    channelIds,
    progress.channelId,
    progress.messageId,
    progress.afterMessageId,
  ]);
  const filled = rows[0];
  const isFull = filled !== undefined && filled.count >= messagesPerOmittedRowsBatch;
  await tx.query('UPDATE soft_deactivations SET filled_channel_id = $2, filled_message_id = $3 WHERE user_id = $1', [
    userId,
    isFull ? filled.channelId : last + 1,
    isFull ? filled.messageId : 0,
  ]);
  return false;
}

async function lockOmittedRowsWriteProgress(tx: Tx, userId: number): Promise<OmittedRowsWriteProgress | undefined> {
  const { rows } = await tx.query<OmittedRowsWriteProgress>(
    `SELECT filled_channel_id AS "channelId", filled_message_id AS "messageId", after_message_id AS "afterMessageId"
     FROM soft_deactivations WHERE user_id = $1 FOR UPDATE`,
    [userId],
  );
  return rows[0];
}

/**
 * SQL that writes a user's rows of the messages that follow the last processed message. A subscription applies to the
 * messages between its start and the next subscription change. The end of a subscription marks earlier messages as
 * read. The query forces the use of the only index that contains the messages of a recipient in order. Other query
 * plans read the messages of all channels to find the few messages of a channel with little traffic.
 */
const insertNextMissingRowsSql = `
  WITH change AS (
    SELECT sc.recipient_id, r.channel_id, sc.kind, sc.message_id AS first,
      lead(sc.message_id) OVER following AS next,
      bool_or(sc.kind = 'ended') OVER (following ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS is_read
    FROM subscription_changes sc JOIN recipients r ON r.id = sc.recipient_id
    WHERE sc.user_id = $1 AND r.channel_id = ANY($2::int[])
    WINDOW following AS (PARTITION BY sc.recipient_id ORDER BY sc.message_id, sc.id)
  ), found AS MATERIALIZED (
    SELECT change.channel_id, m.id, coalesce(change.is_read, false) AS is_read
    FROM change CROSS JOIN LATERAL (
      SELECT m.id FROM messages m
      WHERE (m.recipient_id, m.id) >= (change.recipient_id, greatest(change.first, $5::bigint + 1,
          CASE WHEN change.channel_id = $3::int THEN $4::bigint + 1 ELSE 0 END))
        AND (m.recipient_id, m.id) < (change.recipient_id, coalesce(change.next, 9223372036854775807))
      ORDER BY m.recipient_id, m.id LIMIT ${messagesPerOmittedRowsBatch}) m
    WHERE change.kind = 'began' ORDER BY change.channel_id, m.id LIMIT ${messagesPerOmittedRowsBatch}
  ), written AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT $1, found.id, found.is_read::int FROM found
    WHERE NOT EXISTS (SELECT FROM settled_messages settled WHERE settled.message_id = found.id)
    ORDER BY found.id ON CONFLICT DO NOTHING
  )
  SELECT (SELECT count(*)::int FROM found) AS count, latest.channel_id AS "channelId", latest.id AS "messageId"
  FROM (SELECT 1) one LEFT JOIN (SELECT channel_id, id FROM found ORDER BY channel_id DESC, id DESC LIMIT 1) latest ON true`;
