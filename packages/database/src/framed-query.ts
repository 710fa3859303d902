import pg from 'pg';
import type { PoolClient, QueryResult } from 'pg';

/** BEGIN, COMMIT: statements that were run under their own text as name on this connection, around another. */
export interface Frame {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Called when the server has executed one of them, before the query itself is complete. */
  readonly onDone: (part: 'before' | 'after') => void;
}

/** The parts of a connection that a query of `pg` uses to be sent. */
interface Wire {
  bind(config: { statement: string; values: unknown[] }): void;
  execute(config: { portal?: string }): void;
  sync(): void;
}

const { prototype } = pg.Query;
const prepare: unknown = Reflect.get(prototype, 'prepare');
const complete: unknown = Reflect.get(prototype, 'handleCommandComplete');
const fail: unknown = Reflect.get(prototype, 'handleError');

/** Whether this version of `pg` has the methods that {@link FramedQuery} stands on. */
const isKnown =
  typeof prepare === 'function' &&
  typeof complete === 'function' &&
  typeof fail === 'function' &&
  '_getRows' in prototype;

/** Property in which a query of `pg` stores the error of a value parser. */
const UNREADABLE = '_canceledDueToError';

function perform(connection: Wire, name: string): void {
  connection.bind({ statement: name, values: [] });
  connection.execute({});
}

/**
 * A statement framed by BEGIN or COMMIT, which the server acknowledges together. A separate acknowledgement costs a
 * server write and often an event-loop turn, more than BEGIN itself. If a part fails the server skips the rest, and the
 * query fails with that error.
 */
class FramedQuery extends pg.Query {
  private completed = 0;

  constructor(
    config: pg.QueryConfig,
    private readonly frame: Frame,
    readonly callback: (error: Error | null, result: QueryResult) => void,
  ) {
    super(config);
  }

  /** @internal Called by `pg` to send all of the query. */
  prepare(connection: Wire): void {
    if (this.frame.before !== undefined) perform(connection, this.frame.before);
    if (typeof prepare === 'function') Reflect.apply(prepare, this, [connection]);
  }

  /** @internal Called by `pg` as the last part of it. */
  _getRows(connection: Wire): void {
    connection.execute({});
    if (this.frame.after !== undefined) perform(connection, this.frame.after);
    connection.sync();
  }

  /** @internal Called by `pg` for each part. What BEGIN and COMMIT answer is of no use: else they fail. */
  handleCommandComplete(message: unknown, connection: Wire): void {
    this.completed += 1;
    const own = this.frame.before === undefined ? 1 : 2;
    if (this.completed !== own) return this.frame.onDone(this.completed < own ? 'before' : 'after');
    if (typeof complete === 'function') Reflect.apply(complete, this, [message, connection]);
  }

  /**
   * @internal Called by `pg`, which would tell of a row that could not be read even where COMMIT was refused afterwards.
   * Here such a row is the error only of a frame of which everything else was done.
   */
  handleError(error: unknown, connection: unknown): void {
    if (error !== Reflect.get(this, UNREADABLE)) Reflect.set(this, UNREADABLE, false);
    if (typeof fail === 'function') Reflect.apply(fail, this, [error, connection]);
  }
}

function parsedBy(client: PoolClient): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  return typeof connection === 'object' && connection !== null
    ? Reflect.get(connection, 'parsedStatements')
    : undefined;
}

/**
 * Whether a statement with `values` can be sent in a frame of these on this connection: its server knows them by now, and
 * `pg` would send it in parts anyway.
 */
export function canFrame(client: PoolClient, values: readonly unknown[] | undefined, frame: Frame): boolean {
  const parsed = parsedBy(client);
  if (!isKnown || values === undefined || values.length === 0) return false;
  if (typeof parsed !== 'object' || parsed === null) return false;
  return [frame.before, frame.after].every((name) => name === undefined || name in parsed);
}

/** Sends a statement by `query`, the connection's own, in its frame. */
export function sendFramed(
  query: (...args: unknown[]) => unknown,
  config: pg.QueryConfig,
  frame: Frame,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    query(new FramedQuery(config, frame, (error, result) => (error ? reject(error) : resolve(result))));
  });
}
