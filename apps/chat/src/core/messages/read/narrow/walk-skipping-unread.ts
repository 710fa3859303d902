import type { Tx } from '@switchboard/database';
import { messageFlagBits } from '../../wire/message-flag-bits.js';
import type {
  MessageIdSearchParameters,
  MessageIdSearchProgress,
  IndexRangeMessageSearch,
  MessageIdSearchMethod,
} from './walk-message-ids.js';
import { PreparedStatementNames } from './prepared-statement-names.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';

/**
 * Searches a reader's message history for the messages of a narrow (filter) that excludes unread messages.
 * Skips ranges in which all messages are unread. Comparing the row counts of two indexes detects such a range at a
 * tenth of the cost of reading all rows.
 */
export class UnreadSkippingMessageSearch implements MessageIdSearchMethod {
  /** Number of message history rows that the search reads between two attempts to skip unread messages. */
  #rows = minSkippedUnreadMessages;

  constructor(
    private readonly tx: Tx,
    private readonly query: MessageIdSearchParameters,
    private readonly history: IndexRangeMessageSearch,
    private readonly position: MessageIdSearchProgress,
  ) {}

  async advance(candidates: number): Promise<void> {
    if (candidates <= minSkippedUnreadMessages) return this.history.advance(candidates);
    const { position, query } = this;
    let left = candidates;
    while (left > 0 && !position.isDone && position.found.length < query.limit) {
      const skipped = await this.#skipUnread(left);
      left -= skipped;
      // If nothing could be skipped, more rows are read before the next attempt.
      this.#rows = skipped > 0 ? minSkippedUnreadMessages : this.#rows * skippedMessageCountGrowthFactor;
      const rows = Math.min(this.#rows, left);
      if (rows > 0) await this.history.advance(rows);
      left -= rows;
    }
  }

  /**
   * Skips at most `most` unread messages. The sizes of the skipped ranges grow until a range contains a read message,
   * and then shrink.
   */
  async #skipUnread(most: number): Promise<number> {
    let skipped = 0;
    let isGrowing = true;
    for (let size = minSkippedUnreadMessages; size >= minSkippedUnreadMessages;) {
      if (skipped + size <= most && (await this.#skipRange(size))) {
        skipped += size;
        if (isGrowing) size *= skippedMessageCountGrowthFactor;
      } else {
        isGrowing = false;
        size /= skippedMessageCountGrowthFactor;
      }
    }
    return skipped;
  }

  /**
   * Skips the next `size` messages of the history if all these messages exist and are unread. Returns true if the
   * messages were skipped.
   */
  async #skipRange(size: number): Promise<boolean> {
    const { order, narrow } = this.query;
    const { cursor } = this.position;
    const sql = new NumberedSqlParameters();
    const actor = sql.addValue(narrow.actor.id);
    const [behind, before] = order === 'DESC' ? ['<', '>='] : ['>', '<='];
    const beyond = cursor === null ? '' : `AND um.message_id ${behind} ${sql.addValue(cursor)}::bigint`;
    const text = `WITH last AS MATERIALIZED (
        SELECT um.message_id FROM user_messages um WHERE um.user_id = ${actor} ${beyond}
        ORDER BY um.message_id ${order} OFFSET ${size - 1} LIMIT 1)
      SELECT message_id AS id FROM last WHERE ${size} = (SELECT count(*) FROM user_messages um
        WHERE um.user_id = ${actor} ${beyond} AND um.message_id ${before} (SELECT message_id FROM last)
          AND (um.flags & ${messageFlagBits.read}) = 0)`;
    const { rows } = await this.tx.query<{ id: number }>({
      ...unreadRangePreparedStatementNames.createNamedStatement(text),
      values: sql.values,
    });
    const [last] = rows;
    if (last !== undefined) this.position.cursor = last.id;
    return last !== undefined;
  }
}

/** Minimum number of unread messages for which an attempt to skip the messages saves time. */
const minSkippedUnreadMessages = 1000;
/**
 * Growth factor of the number of messages from one attempt to skip messages to the next. Each number becomes a literal
 * in the SQL statement, so only few different numbers should occur.
 */
const skippedMessageCountGrowthFactor = 4;

const unreadRangePreparedStatementNames = new PreparedStatementNames('unread-range');
