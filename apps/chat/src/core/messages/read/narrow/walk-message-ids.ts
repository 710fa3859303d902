import type { Tx } from '@switchboard/database';
import {
  type OrderedMessageIdSource,
  createMessageIndexOrderBy,
  type MultipleRangesMessageIdSource,
  type SingleRangeMessageIdSource,
} from './message-id-index-ranges.js';
import { createNarrowedCandidates, type ResolvedNarrow, hasTextSearch } from './narrow-sql.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';

/** Limits and order of a search for the message ids that match a narrow (filter). */
export interface MessageIdSearchParameters {
  readonly narrow: ResolvedNarrow;
  /** Order in which the search finds message ids: newest first or oldest first. */
  readonly order: 'DESC' | 'ASC';
  /** Message id after which the search starts, in the given order; null to start at the first message. */
  readonly beyond: number | null;
  /**
   * Returns an additional SQL condition on the searched messages. The argument `actor` is the placeholder of the
   * reader's id.
   */
  readonly more?: ((actor: string, parameters: NumberedSqlParameters) => string) | undefined;
  /** Maximum number of message ids to return. */
  readonly limit: number;
}

/**
 * Position and results of a search for message ids, which all index walks of the search share. Each walk reads a
 * different index and can continue at the position that another walk has reached.
 */
export class MessageIdSearchProgress {
  /**
   * Message ids that the search has found so far, in order. After the last step, the number of ids may exceed the
   * limit.
   */
  readonly found: number[] = [];
  /** True if the search cannot find any more messages. */
  isDone = false;
  /**
   * Message id at which the search started: the start in the query, or the first checked message id if the query has no
   * start.
   */
  start: number | null;

  /** @param cursor last message id that was checked; initially the start of the query */
  constructor(public cursor: number | null) {
    this.start = cursor;
  }
}

/**
 * One way to search for message ids, in steps of limited cost. A search may alternate between several of these walks.
 */
export interface MessageIdSearchMethod {
  /** True if the last step of this walk found no message. Other walks of the search then take the next steps. */
  readonly isDoubtful?: boolean;
  /**
   * Checks whether the next messages after the search position match the narrow (filter). Checks at most the given
   * number of messages.
   */
  advance(candidates: number): Promise<void>;
}

interface MessageIdSearchStepRow {
  done: boolean;
  first: number | null;
  reached: number | null;
  ids: number[];
}

/**
 * Searches messages in the order of an index. Each step reads a number of candidate messages, and checks which
 * candidates match the narrow (filter).
 */
export class IndexRangeMessageSearch implements MessageIdSearchMethod {
  constructor(
    private readonly tx: Tx,
    private readonly query: MessageIdSearchParameters,
    private readonly stream: OrderedMessageIdSource,
    private readonly position: MessageIdSearchProgress,
  ) {}

  async advance(candidates: number): Promise<void> {
    const { narrow, order, limit, more } = this.query;
    const sql = new NumberedSqlParameters();
    const hasFlags = this.stream.kind === 'range' && this.stream.isHistory;
    const matching = createNarrowedCandidates(narrow, sql, { hasFlags, more: more && ((actor) => more(actor, sql)) });
    const distinct = this.stream.repeats ? 'DISTINCT' : '';
    const ids = `ARRAY(SELECT ${distinct} ${matching.id} ${matching.sql}
      ORDER BY ${matching.id} ${order} LIMIT ${limit})`;
    const windowed =
      this.stream.kind === 'range'
        ? this.#rangeWindowSql(this.stream, candidates, sql)
        : this.#mergedWindowSql(this.stream, candidates, sql);
    const text = `WITH ${[windowed, ...matching.expressions].join(', ')} SELECT reached.*, ${ids} AS ids FROM reached`;
    // A generic plan expects a short history, and would read and sort a long one completely.
    const { rows } = await this.tx.query<MessageIdSearchStepRow>({ text, values: sql.values, planned: 'each time' });
    const [step] = rows;
    if (step === undefined) throw new Error('An aggregate returned no row');
    this.position.found.push(...step.ids);
    this.position.start ??= step.first;
    this.position.cursor = step.reached ?? this.position.cursor;
    this.position.isDone = step.done;
  }

  /** Returns SQL that reads the next candidate messages from one range of an index. */
  #rangeWindowSql(
    { isHistory, sql: range }: SingleRangeMessageIdSource,
    candidates: number,
    sql: NumberedSqlParameters,
  ): string {
    const { narrow, order } = this.query;
    const { from, where, id, before } = range(sql);
    const hasFlags = isHistory && !hasTextSearch(narrow);
    const columns = hasFlags ? 'um.user_id, um.message_id, um.flags' : `${id} AS message_id`;
    const [first, last] = order === 'DESC' ? ['max', 'min'] : ['min', 'max'];
    return `candidate AS MATERIALIZED (
        SELECT ${columns} FROM ${from} WHERE ${where}${this.#positionCondition(id, sql)}
        ORDER BY ${createMessageIndexOrderBy({ id, before }, order)} LIMIT ${candidates}),
      reached AS MATERIALIZED (
        SELECT count(*) < ${candidates} AS done, ${first}(message_id) AS first, ${last}(message_id) AS reached
        FROM candidate)`;
  }

  /**
   * Returns SQL that reads the next candidate messages from several ranges of an index. Reads up to the message id that
   * all unfinished ranges have reached. Reads no rows if the number of ranges exceeds the allowed number of candidates,
   * because another index may then be cheaper.
   */
  #mergedWindowSql(
    { sql: ranges, usualRanges = defaultUsualIndexRangeCount }: MultipleRangesMessageIdSource,
    candidates: number,
    sql: NumberedSqlParameters,
  ): string {
    const { order } = this.query;
    const usual = Math.ceil(candidates / usualRanges);
    const [last, nearest, comparison] = order === 'DESC' ? ['min', 'max', '>='] : ['max', 'min', '<='];
    const keyed = ranges(sql);
    const keys = keyed.map((range, place) => {
      return `key_${place} AS MATERIALIZED (SELECT * FROM (${range.keys}) key LIMIT ${candidates + 1})`;
    });
    const count = keyed.map((_range, place) => `(SELECT count(*) FROM key_${place})`).join(' + ');
    const parts = keyed.map(
      ({ where }, place) => `SELECT part.* FROM key_${place} key CROSS JOIN LATERAL (
        SELECT array_agg(id) AS ids, ${last}(id) AS last, count(*) AS read FROM (
          SELECT m.id FROM messages m WHERE ${where}${this.#positionCondition('m.id', sql)}
          ORDER BY m.id ${order} LIMIT (SELECT most FROM size)) next) part
        WHERE (SELECT is_read FROM size)`,
    );
    return `${keys.join(', ')}, size AS MATERIALIZED (
        SELECT n <= ${candidates} AS is_read,
          greatest(${minRowsPerIndexRange}, least(${usual}, ${minRowsPerIndexRange} * ${candidates} / greatest(n, 1))) AS most
        FROM (SELECT ${count} AS n) counted),
      part AS MATERIALIZED (${parts.join(' UNION ALL ')}),
      reached AS MATERIALIZED (
        SELECT (SELECT is_read FROM size) AND ${nearest}(last) IS NULL AS done, NULL::bigint AS first,
          ${nearest}(last) AS reached
        FROM part WHERE read = (SELECT most FROM size)),
      candidate AS MATERIALIZED (
        SELECT message_id FROM part CROSS JOIN LATERAL unnest(part.ids) AS message_id CROSS JOIN reached
        WHERE reached.reached IS NULL OR message_id ${comparison} reached.reached)`;
  }

  #positionCondition(id: string, sql: NumberedSqlParameters): string {
    const { cursor } = this.position;
    if (cursor === null) return '';
    return ` AND ${id} ${this.query.order === 'DESC' ? '<' : '>'} ${sql.addValue(cursor)}::bigint`;
  }
}

/** Default value of {@link MultipleRangesMessageIdSource.usualRanges}, a number of index ranges. */
const defaultUsualIndexRangeCount = 50;
/** Number of rows at the start of an index range that can be read in about the time of reading only the first row. */
const minRowsPerIndexRange = 20;
