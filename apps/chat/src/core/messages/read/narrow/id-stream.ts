import type { SqlParameters } from './sql-text.js';

/** Ids in order, from indexes: of all messages that one part of a narrow selects, and maybe of more. */
export type IdStream = RangeStream | ManyRangesStream;

/** One range of an index. */
export interface RangeStream {
  readonly kind: 'range';
  /** True if its rows are those of the reader's history, with flags. */
  readonly isHistory: boolean;
  /** True if the range has all of the reader's history, and the narrow excludes its unread messages. */
  readonly mayBeUnread?: boolean;
  /** True if an id can occur several times. */
  readonly repeats: boolean;
  /** Adds its values to the statement that it is read in. */
  sql(parameters: SqlParameters): RangeSql;
}

/** A range as parts of a statement. */
export interface RangeSql {
  readonly from: string;
  readonly where: string;
  /** The column that the index has in order. */
  readonly id: string;
  /** A column that the index has before `id`, if one: it has the same value in all rows of the range. */
  readonly before?: string | undefined;
}

/**
 * The order of an index, as SQL. It names the column before the id where the planner does not know that its value is a
 * single one, as in {@link oneTopic}.
 */
export function indexOrder({ id, before }: Pick<RangeSql, 'id' | 'before'>, order: 'ASC' | 'DESC'): string {
  return before === undefined ? `${id} ${order}` : `${before} ${order}, ${id} ${order}`;
}

/**
 * Condition for the messages of one topic, as a range. Of an equation the planner expects the mean number of messages of
 * a topic, and when a page is larger than that, it reads and sorts all messages of the topic. Of a range it always
 * expects many, and reads them in order.
 */
export const oneTopic = (topicId: string): string => `m.topic_id BETWEEN ${topicId} AND ${topicId}`;

/** Several ranges of indexes over `messages m`, which have to be merged. */
export interface ManyRangesStream {
  readonly kind: 'ranges';
  /** Number of ranges that are expected to have what a page shows. Of more, a window reads more rows than its size. */
  readonly usualRanges?: number;
  readonly repeats: boolean;
  sql(parameters: SqlParameters): readonly KeyedRanges[];
}

/** A range for each of some rows. */
export interface KeyedRanges {
  /** A SELECT of the rows `key`. */
  readonly keys: string;
  /** The condition over `messages m` and one `key`. */
  readonly where: string;
}

/** Messages of one range of an index. */
export function streamOfMessages(where: (parameters: SqlParameters) => string, before?: string): RangeStream {
  return {
    kind: 'range',
    isHistory: false,
    repeats: false,
    sql: (parameters) => ({ from: 'messages m', where: where(parameters), id: 'm.id', before }),
  };
}

/** Messages of the conversations that a SELECT of (recipient_id) finds. */
export const conversationRanges = (keys: string): KeyedRanges => ({
  keys,
  where: 'm.recipient_id = key.recipient_id',
});

/** Messages of the topics that a SELECT of (topic_id) finds. */
export const topicRanges = (keys: string): KeyedRanges => ({
  keys,
  where: 'm.topic_id = key.topic_id',
});
