import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/**
 * Source of message ids in order: one or several ranges of a database index. The source contains all messages that
 * match one part of a narrow (filter), and possibly other messages.
 */
export type OrderedMessageIdSource = SingleRangeMessageIdSource | MultipleRangesMessageIdSource;

/** Source of message ids, in order, that reads one range of a database index. */
export interface SingleRangeMessageIdSource {
  readonly kind: 'range';
  /** True if the index range consists of rows of `user_messages`, which contain the reader's message flags. */
  readonly isHistory: boolean;
  /** True if the index range is the reader's whole message history and the narrow (filter) excludes unread messages. */
  readonly mayBeUnread?: boolean;
  /** True if a message id can occur several times in the index range. */
  readonly repeats: boolean;
  /** Returns the SQL of the index range. Adds the values in this SQL to the parameters of the statement. */
  sql(parameters: NumberedSqlParameters): MessageIndexRangeSql;
}

/** SQL parts that select the rows of an index range. */
export interface MessageIndexRangeSql {
  readonly from: string;
  readonly where: string;
  /** SQL of the message id by which the index is ordered. */
  readonly id: string;
  /**
   * Column that precedes the message id in the index and has the same value in all rows of the range. Absent if the
   * index begins with the message id.
   */
  readonly before?: string | undefined;
}

/**
 * Returns an ORDER BY list for an index. The list includes the column before the message id if the planner cannot
 * determine that this column has only one value, for example with {@link isMessageInTopicSql}.
 */
export function createMessageIndexOrderBy(
  { id, before }: Pick<MessageIndexRangeSql, 'id' | 'before'>,
  order: 'ASC' | 'DESC',
): string {
  return before === undefined ? `${id} ${order}` : `${before} ${order}, ${id} ${order}`;
}

/**
 * Returns the SQL condition that messages belong to one topic, written as a range of topic ids. With an equation the
 * planner would expect a topic of average size, and would read and sort all messages of a larger topic. With a range
 * the planner reads the messages in order.
 */
export const isMessageInTopicSql = (topicId: string): string => `m.topic_id BETWEEN ${topicId} AND ${topicId}`;

/** Source of message ids that merges several index ranges over `messages m`. */
export interface MultipleRangesMessageIdSource {
  readonly kind: 'ranges';
  /**
   * Expected number of index ranges that contain messages of the page. If more ranges contain messages, a statement
   * reads more rows than the requested number of candidate messages.
   */
  readonly usualRanges?: number;
  readonly repeats: boolean;
  sql(parameters: NumberedSqlParameters): readonly MessageIndexRangesSql[];
}

/** SQL of a set of index ranges over messages. A SELECT returns one row per index range. */
export interface MessageIndexRangesSql {
  /** SQL SELECT statement with the alias `key` that returns one row per index range. */
  readonly keys: string;
  /** SQL condition over `messages m` and one row `key`, which selects the messages of one index range. */
  readonly where: string;
}

/** Returns a source of message ids from one range of an index on `messages`. */
export function createRangeMessageIdSource(
  where: (parameters: NumberedSqlParameters) => string,
  before?: string,
): SingleRangeMessageIdSource {
  return {
    kind: 'range',
    isHistory: false,
    repeats: false,
    sql: (parameters) => ({ from: 'messages m', where: where(parameters), id: 'm.id', before }),
  };
}

/**
 * Returns index ranges over messages, one for each conversation. `keys` is a SELECT of the conversations, with the
 * column `recipient_id`.
 */
export const createMessageRangesOfConversationsSql = (keys: string): MessageIndexRangesSql => ({
  keys,
  where: 'm.recipient_id = key.recipient_id',
});

/**
 * Returns index ranges over messages, one for each topic. `keys` is a SELECT of the topics, with the column
 * `topic_id`.
 */
export const createMessageRangesOfTopicsSql = (keys: string): MessageIndexRangesSql => ({
  keys,
  where: 'm.topic_id = key.topic_id',
});
