import type { Tx } from '@switchboard/database';
import { type IdStream, indexOrder, type ManyRangesStream, type RangeStream } from './id-stream.js';
import { narrowedCandidates, type ResolvedNarrow, searchesText } from './narrowed-messages.js';
import { SqlParameters } from './sql-text.js';

/** Limits and order of a search for message ids. */
export interface IdQuery {
  readonly narrow: ResolvedNarrow;
  /** Order of the ids: newest or oldest first. */
  readonly order: 'DESC' | 'ASC';
  /** Exclusive start of the ids, in the given order; null for the beginning. */
  readonly beyond: number | null;
  /** Returns another SQL condition, given the placeholder of the reader's id. */
  readonly more?: ((actor: string, parameters: SqlParameters) => string) | undefined;
  /** Maximum number of messages to find. */
  readonly limit: number;
}

/** A search for messages that proceeds in steps. */
export interface Walk {
  /** Found ids in order; can exceed the limit of the query after the last step. */
  readonly found: readonly number[];
  /** True if nothing more can be found. */
  readonly isDone: boolean;
  /**
   * Fraction of all ids that have been checked. It only serves to compare searches: the one with the larger value is
   * closer to its end.
   */
  readonly progress: number;
  /** Checks the next candidates, at most the given number. */
  advance(candidates: number): Promise<void>;
}

interface Step {
  done: boolean;
  reached: number | null;
  ids: number[];
}

/**
 * Searches messages in the order of a stream: reads a window of candidates at a time and checks each against the
 * narrow.
 */
export class StreamWalk implements Walk {
  readonly found: number[] = [];
  isDone = false;
  #cursor: number | null;

  constructor(
    private readonly tx: Tx,
    private readonly query: IdQuery,
    private readonly stream: IdStream,
  ) {
    this.#cursor = query.beyond;
  }

  /** The last checked id; initially the start of the query. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** Skips ids up to the given one, if none of them can match. */
  skipTo(id: number): void {
    this.#cursor = id;
  }

  get progress(): number {
    const { order, beyond } = this.query;
    if (this.#cursor === null || this.#cursor === beyond) return Number.NEGATIVE_INFINITY;
    return order === 'ASC' ? this.#cursor : -this.#cursor;
  }

  async advance(candidates: number): Promise<void> {
    const { narrow, order, limit, more } = this.query;
    const sql = new SqlParameters();
    const hasFlags = this.stream.kind === 'range' && this.stream.isHistory;
    const matching = narrowedCandidates(narrow, sql, { hasFlags, more: more && ((actor) => more(actor, sql)) });
    const distinct = this.stream.repeats ? 'DISTINCT' : '';
    const ids = `ARRAY(SELECT ${distinct} ${matching.id} ${matching.sql}
      ORDER BY ${matching.id} ${order} LIMIT ${limit})`;
    const windowed =
      this.stream.kind === 'range'
        ? this.#rangeWindow(this.stream, candidates, sql)
        : this.#mergedWindow(this.stream, candidates, sql);
    const text = `WITH ${[windowed, ...matching.expressions].join(', ')} SELECT reached.*, ${ids} AS ids FROM reached`;
    // A generic plan expects a short history, and would read and sort a long one completely.
    const { rows } = await this.tx.query<Step>({ text, values: sql.values, planned: 'each time' });
    const [step] = rows;
    if (step === undefined) throw new Error('An aggregate returned no row');
    this.found.push(...step.ids);
    this.#cursor = step.reached ?? this.#cursor;
    this.isDone = step.done;
  }

  /** Returns SQL of the next rows of one range. */
  #rangeWindow({ isHistory, sql: range }: RangeStream, candidates: number, sql: SqlParameters): string {
    const { narrow, order } = this.query;
    const { from, where, id, before } = range(sql);
    const hasFlags = isHistory && !searchesText(narrow);
    const columns = hasFlags ? 'um.user_id, um.message_id, um.flags' : `${id} AS message_id`;
    const last = order === 'DESC' ? 'min' : 'max';
    return `candidate AS MATERIALIZED (
        SELECT ${columns} FROM ${from} WHERE ${where}${this.#beyond(id, sql)}
        ORDER BY ${indexOrder({ id, before }, order)} LIMIT ${candidates}),
      reached AS MATERIALIZED (
        SELECT count(*) < ${candidates} AS done, ${last}(message_id) AS reached FROM candidate)`;
  }

  /**
   * Returns SQL of the next rows of several ranges, up to the position that all unfinished ranges have reached. Reads
   * no rows if the window has fewer rows than there are ranges: the cost would then depend on the number of ranges, and
   * another stream may need less.
   */
  #mergedWindow(
    { sql: ranges, usualRanges = manyRanges }: ManyRangesStream,
    candidates: number,
    sql: SqlParameters,
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
          SELECT m.id FROM messages m WHERE ${where}${this.#beyond('m.id', sql)}
          ORDER BY m.id ${order} LIMIT (SELECT most FROM size)) next) part
        WHERE (SELECT is_read FROM size)`,
    );
    return `${keys.join(', ')}, size AS MATERIALIZED (
        SELECT n <= ${candidates} AS is_read,
          greatest(${fewestPerRange}, least(${usual}, ${fewestPerRange} * ${candidates} / greatest(n, 1))) AS most
        FROM (SELECT ${count} AS n) counted),
      part AS MATERIALIZED (${parts.join(' UNION ALL ')}),
      reached AS MATERIALIZED (
        SELECT (SELECT is_read FROM size) AND ${nearest}(last) IS NULL AS done, ${nearest}(last) AS reached
        FROM part WHERE read = (SELECT most FROM size)),
      candidate AS MATERIALIZED (
        SELECT message_id FROM part CROSS JOIN LATERAL unnest(part.ids) AS message_id CROSS JOIN reached
        WHERE reached.reached IS NULL OR message_id ${comparison} reached.reached)`;
  }

  #beyond(id: string, sql: SqlParameters): string {
    if (this.#cursor === null) return '';
    return ` AND ${id} ${this.query.order === 'DESC' ? '<' : '>'} ${sql.add(this.#cursor)}::bigint`;
  }
}

/** Default of {@link ManyRangesStream.usualRanges}. */
const manyRanges = 50;
/** Number of rows of a range that take hardly longer to read than its first row. */
const fewestPerRange = 20;
