import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/**
 * Source of message ids in order: one or several ranges of an index. It contains all messages that match one part of a
 * narrow, and possibly others.
 */
export type MessageIdStream = MessageIdRangeStream | MultipleRangesStream;

/** Source of message ids from one range of an index. */
export interface MessageIdRangeStream {
  readonly kind: 'range';
  /** True if the rows are rows of `user_messages`, which contain the reader's flags. */
  readonly isHistory: boolean;
  /** True if the range is the reader's whole history and the narrow excludes unread messages. */
  readonly mayBeUnread?: boolean;
  /** True if a message id can occur several times in the range. */
  readonly repeats: boolean;
  /** Returns the SQL of the index range. Its values are added to the parameters of the statement. */
  sql(parameters: NumberedSqlParameters): MessageRangeSql;
}

/** SQL parts that select the rows of an index range. */
export interface MessageRangeSql {
  readonly from: string;
  readonly where: string;
  /** SQL of the id by which the index is ordered. */
  readonly id: string;
  /** Column that precedes the message id in the index, if any. It has the same value in all rows of the range. */
  readonly before?: string | undefined;
}

/**
 * Returns an ORDER BY list for an index. It includes the column before the id if the planner cannot know that this
 * column has only one value, as in {@link isInTopicSql}.
 */
export function messageIndexOrder(
  { id, before }: Pick<MessageRangeSql, 'id' | 'before'>,
  order: 'ASC' | 'DESC',
): string {
  return before === undefined ? `${id} ${order}` : `${before} ${order}, ${id} ${order}`;
}

/**
 * Returns the SQL condition that messages belong to one topic, written as a range of topic ids. With an equation the
 * planner would expect a topic of average size, and would read and sort all messages of a larger topic. With a range it
 * reads them in order.
 */
export const isInTopicSql = (topicId: string): string => `m.topic_id BETWEEN ${topicId} AND ${topicId}`;

/** Source of message ids from several index ranges over `messages m`, which are merged. */
export interface MultipleRangesStream {
  readonly kind: 'ranges';
  /**
   * Expected number of index ranges that contain messages of the page. If there are more, a statement reads more rows
   * than there are candidates.
   */
  readonly usualRanges?: number;
  readonly repeats: boolean;
  sql(parameters: NumberedSqlParameters): readonly MessageRangesByKey[];
}

/** SQL of a set of index ranges, one per row of a SELECT. */
export interface MessageRangesByKey {
  /** SELECT statement with the alias `key` that returns one row per index range. */
  readonly keys: string;
  /** SQL condition over `messages m` and one row `key`. */
  readonly where: string;
}

/** Returns a source of message ids from one range of an index on `messages`. */
export function createMessageIdStream(
  where: (parameters: NumberedSqlParameters) => string,
  before?: string,
): MessageIdRangeStream {
  return {
    kind: 'range',
    isHistory: false,
    repeats: false,
    sql: (parameters) => ({ from: 'messages m', where: where(parameters), id: 'm.id', before }),
  };
}

/** Returns one index range for each conversation of a SELECT of (recipient_id). */
export const createConversationRanges = (keys: string): MessageRangesByKey => ({
  keys,
  where: 'm.recipient_id = key.recipient_id',
});

/** Returns one index range for each topic of a SELECT of (topic_id). */
export const createTopicRanges = (keys: string): MessageRangesByKey => ({
  keys,
  where: 'm.topic_id = key.topic_id',
});
