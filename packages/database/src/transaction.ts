import type { PoolClient } from 'pg';
import { translateDatabaseError } from '@switchboard/errors';
import { canFrame, type Frame } from './framed-query.js';
import { inOneWrite } from './one-write.js';
import { CommitUnknownError, TransactionAbortedError, TransactionClosedError } from './transaction-errors.js';
import { type OpenTx, type QueryOutcome, runStatement, type Statement, toStatement, type Tx } from './tx.js';

/** What one transaction sees of others. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/** What comes behind what `DatabaseOptions.beforeCommit` sends at once. */
export interface Ending {
  /**
   * COMMIT, in the same write: it holds its locks for the time of the commit and no longer, whatever happens to this
   * process. False: a statement of the caller comes first.
   */
  readonly commitFollows: boolean;
}

/** How a transaction begins and ends. */
export interface TransactionSettings {
  readonly isolation: IsolationLevel;
  readonly readOnly: boolean;
  /** Runs last; see `DatabaseOptions.beforeCommit`. */
  readonly beforeCommit: ((tx: Tx, ending: Ending) => Promise<void>) | undefined;
}

const COMMIT = 'COMMIT';

/** A statement that is sent when it is known whether it is the last. */
interface HeldStatement {
  readonly sql: string | Statement;
  readonly params: unknown[] | undefined;
  readonly send: (outcome: Promise<QueryOutcome<never>>) => void;
}

/**
 * One BEGIN ... COMMIT on one connection. It ends once, and refuses statements afterwards. BEGIN leaves with the first
 * statement and COMMIT with the last, so that neither costs a round trip; where the connection has run them before, the
 * server answers them together as well.
 */
export class Transaction implements OpenTx {
  private open = true;
  private sent = 0;
  private failure: unknown;
  private lost: Error | undefined;
  private begun = false;
  /** Statements are the last ones, or may be. */
  private isEnding = false;
  private held: HeldStatement | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly options: TransactionSettings,
  ) {}

  /** Whether statements may still be run. */
  get isOpen(): boolean {
    return this.open;
  }

  async query<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    if (!this.open) throw new TransactionClosedError();
    this.sent += 1;
    return this.isEnding ? this.hold<R>(sql, params) : this.send<R>(sql, params);
  }

  /**
   * Runs `beforeCommit` and commits, unless `finish` has done it. When it has sent something by the time it first waits,
   * that is all, and COMMIT follows without waiting for the answer: should a statement fail, PostgreSQL answers COMMIT
   * with a rollback. Otherwise COMMIT waits for all of it.
   *
   * @throws what `beforeCommit` throws; nothing is committed then.
   * @throws TransactionClosedError when it sends more when COMMIT has followed.
   * @throws TransactionAbortedError when a failed statement was swallowed; PostgreSQL answers such a COMMIT with
   * a rollback and no error.
   * @throws CommitUnknownError when the connection was lost meanwhile.
   * @throws pg's DatabaseError when the server refused: a deferred constraint, a serialization failure.
   */
  async end(): Promise<void> {
    if (!this.open) {
      if (this.failure !== undefined) throw new TransactionAbortedError(this.failure);
      return;
    }
    const before = this.sent;
    const flight = inOneWrite(this.client, () => {
      this.isEnding = true;
      const lastWords = this.lastWords({ commitFollows: true });
      this.isEnding = false;
      return { lastWords, commit: this.sent === before ? undefined : this.commitWithHeld() };
    });
    if (flight.commit === undefined) await flight.lastWords;
    await settle([flight.lastWords], flight.commit ?? this.commit());
  }

  async finish<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    if (!this.open) throw new TransactionClosedError();
    const before = this.sent;
    const lastWords = this.lastWords({ commitFollows: false });
    // What sends nothing may still fail, and must do so before anything is committed.
    if (this.sent === before) await lastWords;
    if (!this.begun && this.isPlain) return this.alone<R>(sql, params);
    const { outcome, commit } = this.close<R>(sql, params);
    await settle([lastWords, outcome], commit);
    return outcome;
  }

  /** Whether a statement by itself runs as this transaction would. */
  private get isPlain(): boolean {
    return this.options.isolation === 'read committed' && !this.options.readOnly;
  }

  private async lastWords(ending: Ending): Promise<void> {
    await this.options.beforeCommit?.(this, ending);
  }

  /** A statement that is a transaction by itself. */
  private async alone<R>(sql: string | Statement, params: unknown[] | undefined): Promise<QueryOutcome<R>> {
    this.open = false;
    try {
      return await runStatement<R>(this.client, sql, params);
    } catch (error) {
      this.failure = error;
      if (wasRefused(error)) throw error;
      this.lost = error instanceof Error ? error : new Error(String(error));
      throw new CommitUnknownError(error);
    }
  }

  private get begin(): string {
    const { isolation, readOnly } = this.options;
    return `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${readOnly ? ' READ ONLY' : ''}`;
  }

  /** Keeps a statement until it is known whether COMMIT comes next, and sends the one before it, which is not the last. */
  private hold<R>(sql: string | Statement, params: unknown[] | undefined): Promise<QueryOutcome<R>> {
    const { held } = this;
    if (held) held.send(this.send(held.sql, held.params));
    return new Promise((send) => {
      this.held = { sql, params, send };
    });
  }

  private commitWithHeld(): Promise<void> {
    const { held } = this;
    if (!held) return this.commit();
    const { outcome, commit } = this.close<never>(held.sql, held.params);
    held.send(outcome);
    return commit;
  }

  /** The last statement, and COMMIT. */
  private close<R>(
    sql: string | Statement,
    params: unknown[] | undefined,
  ): { outcome: Promise<QueryOutcome<R>>; commit: Promise<void> } {
    return inOneWrite(this.client, () => {
      const framed = this.frameOf(sql, params, COMMIT) !== undefined;
      const outcome = this.send<R>(sql, params, framed ? COMMIT : undefined);
      if (!framed) return { outcome, commit: this.commit() };
      this.open = false;
      return { outcome, commit: this.confirmed(outcome).then(() => {}) };
    });
  }

  /** What is to be sent with a statement in its own round trip; undefined where that cannot be, or nothing is. */
  private frameOf(sql: string | Statement, params: unknown[] | undefined, after?: string): Frame | undefined {
    const frame = { before: this.begun ? undefined : this.begin, after };
    if (frame.before === undefined && after === undefined) return undefined;
    return canFrame(this.client, toStatement(sql, params).values, frame) ? frame : undefined;
  }

  /** Sends a statement, BEGIN before the first, and `after` behind it, which must fit its frame. */
  private async send<R>(sql: string | Statement, params?: unknown[], after?: string): Promise<QueryOutcome<R>> {
    const frame = this.frameOf(sql, params, after);
    const isFirst = !this.begun;
    this.begun = true;
    try {
      if (isFirst && frame === undefined) return await this.first<R>(sql, params);
      return await runStatement<R>(this.client, sql, params, frame);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  /** BEGIN and the first statement, each by itself. */
  private async first<R>(sql: string | Statement, params: unknown[] | undefined): Promise<QueryOutcome<R>> {
    const [begun, outcome] = inOneWrite(this.client, () => [
      this.control(this.begin),
      runStatement<R>(this.client, sql, params),
    ]);
    const [beginning, first] = await Promise.allSettled([begun, outcome]);
    // A server that takes a statement and has refused BEGIN before it has committed that statement by itself.
    if (beginning.status === 'rejected' && first.status === 'fulfilled') throw new CommitUnknownError(beginning.reason);
    if (first.status === 'rejected') throw first.reason;
    return first.value;
  }

  /** BEGIN or COMMIT by itself, named so that the connection knows it from then on. */
  private async control(text: string): Promise<string> {
    return (await this.client.query({ name: text, text })).command;
  }

  private async commit(): Promise<void> {
    this.open = false;
    if (!this.begun) return;
    const command = await this.confirmed(this.control(COMMIT));
    if (command !== COMMIT) throw new TransactionAbortedError(this.failure);
  }

  /** What the server answered to COMMIT, or to a statement with it. */
  private async confirmed<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.failure ??= error;
      throw wasRefused(error) ? error : new CommitUnknownError(error);
    }
  }

  /** Rolls back. Returns the error when even that failed: the connection is then good for nothing. */
  async rollback(): Promise<Error | undefined> {
    this.open = false;
    if (!this.begun) return this.lost;
    try {
      await this.client.query('ROLLBACK');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** Waits for the last statements of a transaction and the COMMIT that left with them; throws what went wrong first. */
async function settle(statements: readonly Promise<unknown>[], commit: Promise<void>): Promise<void> {
  const [committed, ...spoken] = await Promise.allSettled([commit, ...statements]);
  // All fail when the connection is lost: the server may then have done everything.
  const unknown = committed.status === 'rejected' && committed.reason instanceof CommitUnknownError;
  for (const one of spoken) {
    if (one.status === 'rejected' && !(unknown && !wasRefused(one.reason))) throw one.reason;
  }
  if (committed.status === 'rejected') throw committed.reason;
}

/**
 * Whether the server itself said that it did not commit. A shutdown (57P01) proves nothing: it may be announced
 * after the commit was written.
 */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof Error) || typeof Reflect.get(error, 'severity') !== 'string') return false;
  return translateDatabaseError(error)?.kind !== 'unavailable';
}
