import type { PoolClient } from 'pg';
import { waitForStatementCancellation, startStatementCancellation } from './statement-cancellation.js';
import { ClientDisconnectedError } from './client-disconnect.js';
import { combineStatementAndCommitResults } from './combine-responses.js';
import {
  isConnectionLossError,
  isIgnoredStatementError,
  isStatementRejectedByServer,
  isUnknownPreparedStatementError,
  convertThrownValueToError,
} from './connection-errors.js';
import { assertPgConnectionUsable, convertToSendableStatement } from './convert-parameter-values.js';
import {
  BEGIN_FAILED_MESSAGE,
  FAILURE_AFTER_COMMIT_MESSAGE,
  UnknownCommitOutcomeError,
  TransactionAbortedError,
  TransactionClosedError,
} from './transaction-errors.js';
import type { BeforeCommitContext, TransactionSettings } from './transaction-settings.js';
import type { StatementFrame } from './transport/transaction-transport.js';
import {
  type OpenTx,
  type SqlStatementResult,
  runSqlStatement,
  type SqlStatement,
  toSqlStatement,
} from './transaction-interface.js';
import type { UnsentLastStatement } from './unsent-last-statement.js';

const COMMIT_STATEMENT = 'COMMIT';

/** One database transaction. BEGIN is sent with the first statement and COMMIT with the last, without round trips. */
export class PooledTransaction<Client = unknown> implements OpenTx<Client> {
  private isOpenForStatements = true;
  private sentCount = 0;
  private failure: unknown;
  /** Reason why the connection must not be used again; undefined while the connection is usable. */
  private connectionFault: Error | undefined;
  /** Error that `finish` threw although the transaction may have been committed; undefined without such an error. */
  private commitUnknownError: UnknownCommitOutcomeError | undefined;
  /** State of the transaction's BEGIN statement: not sent, sent, succeeded, or failed. */
  private beginState: 'due' | 'sent' | 'done' | 'failed' = 'due';
  /** True if BEGIN was sent in one frame with the first statement: the server skips the statement if BEGIN fails. */
  private isFramed = false;
  /** Number of statements sent after BEGIN but before its response. They run outside any transaction if BEGIN fails. */
  private sentBehindBegin = 0;
  /** True if BEGIN failed or a statement did not reach the server. Neither statements nor COMMIT may follow. */
  private mustAbort = false;
  private isCommitted = false;
  /** Number of sent statements of the transaction without a response, except COMMIT and ROLLBACK. */
  private pendingCount = 0;
  /** True while the transaction sends statements that are, or may be, its last statements. */
  private isEnding = false;
  private retainedStatement: UnsentLastStatement | undefined;
  private readonly checks: (() => void)[] = [];
  private prismaClient: Client | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly options: TransactionSettings<Client>,
  ) {}

  get isOpen(): boolean {
    return this.isOpenForStatements;
  }

  get prisma(): Client {
    this.prismaClient ??= this.options.prismaOf(this);
    return this.prismaClient;
  }

  addCommitCheck(check: () => void): void {
    this.checks.push(check);
  }

  async query<R>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>> {
    this.sendRetainedStatement();
    const statement = this.convertToSendableStatement(sql, params);
    this.sentCount += 1;
    return this.isEnding ? this.retainStatement<R>(statement) : this.sendStatement<R>(statement);
  }

  /**
   * Runs `beforeCommit` and commits, unless `finish` has done so. If `beforeCommit` sent statements before it first
   * waited, COMMIT is sent without waiting for responses. If a statement fails, PostgreSQL responds to COMMIT with a
   * rollback. Otherwise COMMIT waits for `beforeCommit` to complete.
   *
   * @throws Error of `beforeCommit`, its statements and the checks; nothing is committed then
   * @throws TransactionClosedError when `beforeCommit` sends a statement after COMMIT
   * @throws TransactionAbortedError when a failed statement was swallowed; PostgreSQL responds to such a COMMIT with a
   * rollback and no error
   * @throws UnknownCommitOutcomeError when the connection was lost meanwhile, or another part failed and COMMIT did not
   * @throws pg's DatabaseError when the server rejected the commit: a deferred constraint, a serialization failure
   */
  async end(): Promise<void> {
    if (this.commitUnknownError) throw this.commitUnknownError;
    if (!this.isOpenForStatements || this.mustAbort) {
      if (this.failure !== undefined) throw new TransactionAbortedError(this.failure);
      return;
    }
    const before = this.sentCount;
    const flight = this.options.transport.inOneWrite(this.client, () => {
      this.isEnding = true;
      const beforeCommitResult = this.runBeforeCommitCallback({ commitFollows: true });
      this.isEnding = false;
      return { beforeCommitResult, commit: this.sentCount === before ? undefined : this.commitWithUnsentStatement() };
    });
    if (flight.commit === undefined) {
      await flight.beforeCommitResult;
      const refusal = this.findCommitCheckError();
      if (refusal) throw refusal;
    }
    await this.awaitStatementsAndCommit([flight.beforeCommitResult], flight.commit ?? this.commit());
  }

  /** Rolls back the transaction because the client of the request has disconnected, unless COMMIT was already sent. */
  cancel(): void {
    if (!this.isOpenForStatements) return;
    this.failure ??= new ClientDisconnectedError();
    this.mustAbort = true;
    startStatementCancellation(this.client, () => {
      if (this.pendingCount === 0) return 'over';
      // If a cancel request makes the server reject BEGIN, statements behind it run outside a transaction, except those
      // in its frame.
      const isAlone = this.isFramed && this.sentBehindBegin === 0;
      return this.beginState === 'sent' && !isAlone ? 'unsafe' : 'running';
    });
  }

  async finish<R>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>> {
    const statement = this.convertToSendableStatement(sql, params);
    const before = this.sentCount;
    const beforeCommitResult = this.runBeforeCommitCallback({ commitFollows: false });
    // If `beforeCommit` sent nothing, it may still fail, so it must complete before the commit. Unsendable statements
    // count too.
    if (this.sentCount === before || this.mustAbort) await beforeCommitResult;
    if (this.mustAbort) throw new TransactionAbortedError(this.failure);
    const refusal = this.findCommitCheckError();
    if (refusal) {
      await Promise.allSettled([beforeCommitResult]);
      throw refusal;
    }
    if (this.beginState === 'due' && this.hasDefaultSettings) return this.runOnlyStatement<R>(statement);
    const { outcome, commit } = this.sendLastStatement<R>(statement);
    await this.awaitStatementsAndCommit([beforeCommitResult, outcome], commit);
    return outcome;
  }

  /**
   * Returns an SQL statement in the form in which `pg` sends it. If the statement cannot be sent, aborts the
   * transaction, because the other statements must not be committed without this statement.
   */
  private convertToSendableStatement(sql: string | SqlStatement, params: unknown[] | undefined): SqlStatement {
    if (!this.isOpenForStatements) throw new TransactionClosedError();
    if (this.mustAbort) throw new TransactionAbortedError(this.failure);
    try {
      return convertToSendableStatement(this.client, toSqlStatement(sql, params));
    } catch (error) {
      this.failure ??= error;
      this.mustAbort = true;
      throw error;
    }
  }

  /** True if the transaction has no settings: a single statement without BEGIN is then equivalent. */
  private get hasDefaultSettings(): boolean {
    return this.options.isolation === 'read committed' && !this.options.readOnly;
  }

  private async runBeforeCommitCallback(ending: BeforeCommitContext): Promise<void> {
    await this.options.beforeCommit?.(this, ending);
  }

  /** Runs the only statement of a transaction, without BEGIN and COMMIT. */
  private async runOnlyStatement<R>(statement: SqlStatement): Promise<SqlStatementResult<R>> {
    this.recordCommitSent();
    try {
      return await runSqlStatement<R>(this.client, statement);
    } catch (error) {
      this.recordStatementFailure(error);
      if (isStatementRejectedByServer(error)) throw error;
      this.connectionFault = convertThrownValueToError(error);
      throw this.createUnknownOutcomeError(error);
    }
  }

  private get beginStatementText(): string {
    const { isolation, readOnly } = this.options;
    return `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${readOnly ? ' READ ONLY' : ''}`;
  }

  /** Retains a statement unsent until it is known whether COMMIT follows. */
  private retainStatement<R>(statement: SqlStatement): Promise<SqlStatementResult<R>> {
    return new Promise((send) => {
      this.retainedStatement = { statement, send };
    });
  }

  /** Sends the statement that {@link retainStatement} retained, because another statement follows it before COMMIT. */
  private sendRetainedStatement(): void {
    const { retainedStatement } = this;
    this.retainedStatement = undefined;
    retainedStatement?.send(this.sendStatement(retainedStatement.statement));
  }

  /** Runs the registered checks before COMMIT and returns the first error. Returns undefined if COMMIT may be sent. */
  private findCommitCheckError(): Error | undefined {
    try {
      for (const check of this.checks) check();
      return undefined;
    } catch (error) {
      return convertThrownValueToError(error);
    }
  }

  private commitWithUnsentStatement(): Promise<void> {
    const { retainedStatement } = this;
    const refusal = this.findCommitCheckError();
    if (this.mustAbort || refusal) this.sendRetainedStatement();
    if (refusal) return Promise.reject(refusal);
    if (this.mustAbort || !retainedStatement) return this.commit();
    this.retainedStatement = undefined;
    const { outcome, commit } = this.sendLastStatement<never>(retainedStatement.statement);
    retainedStatement.send(outcome);
    return commit;
  }

  /** Sends the last statement of the transaction together with COMMIT. Returns the promises of both results. */
  private sendLastStatement<R>(statement: SqlStatement): {
    outcome: Promise<SqlStatementResult<R>>;
    commit: Promise<void>;
  } {
    return this.options.transport.inOneWrite(this.client, () => {
      const framed = this.createStatementFrame(statement, COMMIT_STATEMENT) !== undefined;
      const outcome = this.sendStatement<R>(statement, framed ? COMMIT_STATEMENT : undefined);
      if (!framed) return combineStatementAndCommitResults(outcome, this.commit());
      this.recordCommitSent();
      return { outcome, commit: this.awaitCommitResponse(outcome).then(() => {}) };
    });
  }

  /** Returns the frame that sends BEGIN or COMMIT with a statement. Returns undefined if they are sent separately. */
  private createStatementFrame(statement: SqlStatement, after?: string): StatementFrame | undefined {
    const before = this.beginState === 'due' ? this.beginStatementText : undefined;
    if (before === undefined && after === undefined) return undefined;
    return this.options.transport.frame(this.client, statement.values, { before, after, onDone: this.onFramePartDone });
  }

  private readonly onFramePartDone = (part: 'before' | 'after'): void => {
    if (part === 'before') this.beginState = 'done';
    else this.isCommitted = true;
  };

  /**
   * Sends a statement, preceded by BEGIN if it is the first. `after` follows the statement if both fit into one frame.
   */
  private async sendStatement<R>(statement: SqlStatement, after?: string): Promise<SqlStatementResult<R>> {
    const frame = this.createStatementFrame(statement, after);
    const isFirst = this.beginState === 'due';
    if (this.beginState === 'sent') this.sentBehindBegin += 1;
    if (isFirst) {
      this.beginState = 'sent';
      this.isFramed = frame !== undefined;
    }
    this.pendingCount += 1;
    const sent = isFirst && frame === undefined ? this.sendBeginAndStatementSeparately<R>(statement) : undefined;
    const begun = sent?.begun;
    let hasRun = false;
    try {
      const outcome = await (sent?.outcome ??
        runSqlStatement<R>(this.client, statement, undefined, frame && { frame }));
      hasRun = true;
      if (begun) await begun;
      return outcome;
    } catch (failure) {
      const beginHasFailed = begun && this.beginState === 'sent';
      // If BEGIN succeeded nothing is awaited, because errors must reach the callers in the order of the responses.
      const error: unknown = beginHasFailed ? await begun.then(() => failure, convertThrownValueToError) : failure;
      // A server that has rejected BEGIN still executes the statement and commits it separately.
      if (beginHasFailed && (hasRun || !isStatementRejectedByServer(failure))) this.sentBehindBegin += 1;
      this.recordStatementFailure(error);
      if (isFirst && this.beginState === 'sent') this.recordBeginFailure(error);
      throw error;
    } finally {
      this.pendingCount -= 1;
    }
  }

  /** Sends BEGIN and the first statement as separate messages. */
  private sendBeginAndStatementSeparately<R>(statement: SqlStatement): {
    begun: Promise<void>;
    outcome: Promise<SqlStatementResult<R>>;
  } {
    return this.options.transport.inOneWrite(this.client, () => {
      const begun = this.sendBeginOrCommit(this.beginStatementText).then(() => this.onFramePartDone('before'));
      begun.catch(() => {});
      return { begun, outcome: runSqlStatement<R>(this.client, statement) };
    });
  }

  private recordStatementFailure(error: unknown): void {
    this.failure ??= error;
    if (isUnknownPreparedStatementError(error)) this.connectionFault = convertThrownValueToError(error);
  }

  private recordBeginFailure(error: unknown): void {
    this.mustAbort = true;
    this.connectionFault = convertThrownValueToError(error);
    // If the connection is lost, the statements behind BEGIN are lost with it.
    if (!isConnectionLossError(error)) this.beginState = 'failed';
  }

  private createUnknownOutcomeError(cause: unknown, message?: string): UnknownCommitOutcomeError {
    return (this.commitUnknownError ??= new UnknownCommitOutcomeError(cause, message));
  }

  /** Sends BEGIN or COMMIT alone, as a named statement. */
  private async sendBeginOrCommit(text: string): Promise<string> {
    return (await this.client.query({ name: text, text })).command;
  }

  private async commit(): Promise<void> {
    this.isOpenForStatements = false;
    if (this.mustAbort) throw new TransactionAbortedError(this.failure);
    if (this.beginState === 'due') return;
    assertPgConnectionUsable(this.client);
    this.recordCommitSent();
    const command = await this.awaitCommitResponse(this.sendBeginOrCommit(COMMIT_STATEMENT));
    if (command !== COMMIT_STATEMENT) throw new TransactionAbortedError(this.failure);
  }

  private recordCommitSent(): void {
    this.isOpenForStatements = false;
    if (!this.options.readOnly) this.options.onCommit?.();
  }

  /** Waits for the server's response to COMMIT or to a statement sent with it. Records an error. */
  private async awaitCommitResponse<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      this.recordStatementFailure(error);
      if (this.isCommitted) throw this.createUnknownOutcomeError(error, FAILURE_AFTER_COMMIT_MESSAGE);
      throw isStatementRejectedByServer(error) ? error : this.createUnknownOutcomeError(error);
    }
  }

  /** Waits for the results of the transaction's last statements and of COMMIT. Throws the first error. */
  private async awaitStatementsAndCommit(
    statements: readonly Promise<unknown>[],
    commit: Promise<void>,
  ): Promise<void> {
    const [committed, ...spoken] = await Promise.allSettled([commit, ...statements]);
    if (committed.status === 'fulfilled') {
      // Statements behind a rejected BEGIN have run outside a transaction, and COMMIT had no effect.
      if (this.beginState === 'sent' || this.beginState === 'failed')
        throw this.createUnknownOutcomeError(this.connectionFault, BEGIN_FAILED_MESSAGE);
      const failed = spoken.find((one) => one.status === 'rejected');
      if (!failed) return;
      throw failed.reason instanceof TransactionClosedError
        ? failed.reason
        : this.createUnknownOutcomeError(failed.reason, FAILURE_AFTER_COMMIT_MESSAGE);
    }
    // All statements fail if the connection is lost, although the server may have executed everything.
    const unknown = committed.reason instanceof UnknownCommitOutcomeError;
    for (const one of spoken) {
      if (one.status === 'rejected' && !(unknown && !isStatementRejectedByServer(one.reason))) throw one.reason;
    }
    throw committed.reason;
  }

  /** Rolls back the transaction. If the rollback fails, returns its error; the connection must then be closed. */
  async rollback(): Promise<Error | undefined> {
    this.isOpenForStatements = false;
    if (this.beginState === 'due') return this.connectionFault;
    try {
      // A pending cancel request must not hit ROLLBACK.
      const cancelError = await waitForStatementCancellation(this.client);
      if (cancelError) return cancelError;
      // If BEGIN has failed, this waits for the statements sent behind it.
      await this.client.query('ROLLBACK');
      return this.connectionFault;
    } catch (cause) {
      return new Error('ROLLBACK has failed', { cause });
    }
  }

  /**
   * Returns the error to throw when a transaction failed with `error` and was rolled back. If `error` is only a
   * consequence of an earlier failed statement, returns the error of that statement.
   */
  getErrorAfterRollback(error: unknown): unknown {
    const ranWithoutBegin = this.beginState === 'failed' && this.sentBehindBegin > 0;
    if (ranWithoutBegin && !(error instanceof UnknownCommitOutcomeError)) {
      return new UnknownCommitOutcomeError(this.connectionFault, BEGIN_FAILED_MESSAGE);
    }
    return isIgnoredStatementError(error) ? (this.failure ?? error) : error;
  }
}
