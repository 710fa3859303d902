import type { QueuePool } from '../database.js';
import { errorText, type QueueLogger } from '../environment.js';
import { EventLogUnavailableError } from './errors.js';
import type { AssignedRow } from './log-entry.js';
import type { AppendAnswer, LogStore } from './log-store.js';
import type { NumberedRows } from './numbering.js';

/** Dependencies of a row appender. */
export interface RowAppenderOptions {
  pool: QueuePool;
  store: LogStore;
  logger: QueueLogger;
  /** Refusals after which a row becomes a void entry. */
  entryAttempts: number;
}

const COUNT_REFUSAL = `UPDATE queue.outbox SET attempts = attempts + 1, error = $3, void = attempts + 1 >= $4
  WHERE id = $1 AND seq = $2 AND NOT void RETURNING void`;

/**
 * Step C. A row that Redis refuses stops the log behind it: order allows nothing else. After some tries it becomes a void
 * entry in its place, which raises the floor to it, so that clients register again and are whole
 * (docs/contract/event-log.md 3). Its content never comes later: it would be old news.
 */
export class RowAppender {
  /** Rows that this process made void. */
  voided = 0;
  /** Realms in which a batch was refused: their rows go singly until the one at fault is past. */
  private readonly careful = new Set<string>();

  constructor(private readonly options: RowAppenderOptions) {}

  /** Whether rows of this realm leave for Redis when they are given to {@link append}, and none was refused lately. */
  isSending(realm: string): boolean {
    return this.options.store.isConnected && !this.careful.has(realm);
  }

  /**
   * Appends rows in order. One that is made void on the way is replaced in `rows`.
   * @throws EventLogUnavailableError while Redis is away, or refuses a row that has tries left
   */
  async append(realm: string, { epoch, position, rows }: NumberedRows): Promise<AppendAnswer> {
    if (this.careful.has(realm) && rows.length > 0) return this.appendSingly(realm, { epoch, position, rows });
    try {
      return await this.options.store.append(realm, epoch, position, rows);
    } catch (error) {
      if (isRefusal(error)) this.careful.add(realm);
      throw error;
    }
  }

  private async appendSingly(realm: string, { epoch, position, rows }: NumberedRows): Promise<AppendAnswer> {
    let answer: AppendAnswer = { status: 'OK', last: 0 };
    for (const [index, row] of rows.entries()) {
      const isLast = index === rows.length - 1;
      answer = await this.appendOne(realm, epoch, isLast ? position : row.seq, rows, index);
      if (answer.status !== 'OK') return answer;
    }
    this.careful.delete(realm);
    return answer;
  }

  private async appendOne(
    realm: string,
    epoch: number,
    position: number,
    rows: AssignedRow[],
    index: number,
  ): Promise<AppendAnswer> {
    const { pool, store, logger, entryAttempts } = this.options;
    const row = rows[index];
    if (!row) throw new RangeError(`row ${index} of ${rows.length}`);
    try {
      return await store.append(realm, epoch, position, [row]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const params = [row.id, row.seq, errorText(error), entryAttempts];
      const counted = await pool.query<{ void: boolean }>(COUNT_REFUSAL, params);
      const fields = { realm, row: row.id, unit: row.seq, error: errorText(error) };
      if (counted.rows[0]?.void !== true) {
        logger.warn(fields, 'the event log refused a row, it will be tried again');
        throw error;
      }
      logger.error(fields, 'the event log refused a row too often: void entry in its place');
    }
    this.voided += 1;
    rows[index] = { ...row, void: true, audience: '|', payload: '{"event":{}}' };
    return store.append(realm, epoch, position, [rows[index]]);
  }
}

/** Redis answered, and what it says is about what it was given: not a state of its own, such as `OOM` or `READONLY`. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof EventLogUnavailableError) || !(error.cause instanceof Error)) return false;
  const { cause } = error;
  return cause instanceof RangeError || (cause.name === 'ReplyError' && cause.message.startsWith('ERR '));
}
