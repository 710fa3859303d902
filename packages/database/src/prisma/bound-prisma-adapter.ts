import pg from 'pg';
import type { Pool } from 'pg';
import type { SqlStatementResult, SqlStatement } from '../transaction-interface.js';
import type { PrismaAdapterFactory, PrismaPgAdapterClass } from './prisma-client-types.js';

/** Function that runs an SQL statement of Prisma and returns its result. */
export type PrismaStatementRunner = (statement: SqlStatement) => Promise<SqlStatementResult<unknown>>;

/** Functions that run the statements of a Prisma client. */
export interface PrismaAdapterStatementRunners {
  readonly pool: Pool;
  /** Function that runs statements outside transactions. */
  readonly runOutsideTransaction: PrismaStatementRunner;
  /**
   * Callback that is called when Prisma begins a transaction. Returns the function that runs the transaction's
   * statements.
   */
  readonly beginTransaction: () => PrismaStatementRunner;
}

/** An SQL statement in the form in which Prisma passes it to a driver adapter. */
interface PrismaQuery {
  readonly args: unknown[];
  readonly argTypes: readonly { readonly scalarType: string; readonly dbType?: string }[];
}

/**
 * Names of date and time column types that Prisma's official adapter formats correctly, regardless of the time zone of
 * the session.
 */
const columnTypesWithoutTimeZone: ReadonlySet<string | undefined> = new Set(['DATE', 'TIME', 'TIMETZ']);

const parseTimestamptz: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** Converts the text of a timestamptz value to UTC. Prisma's official adapter assumes that all sessions use UTC. */
function convertTimestamptzToUtc(text: string): string {
  const moment = parseTimestamptz(text);
  return moment instanceof Date ? moment.toISOString() : text;
}

function addUtcTimeZone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addUtcTimeZone);
  return typeof value === 'string' || value instanceof Date ? new Date(value).toISOString() : value;
}

/**
 * Returns a query with time zones added to the time values in its parameters. Prisma's official adapter would omit the
 * time zones.
 */
function addTimeZonesToQueryParameters<Query extends PrismaQuery>(query: Query): Query {
  const isMoment = query.argTypes.map(
    ({ scalarType, dbType }) => scalarType === 'datetime' && !columnTypesWithoutTimeZone.has(dbType),
  );
  if (!isMoment.includes(true)) return query;
  return {
    ...query,
    args: query.args.map((value, index) => (isMoment[index] === true ? addUtcTimeZone(value) : value)),
    argTypes: query.argTypes.map((type, index) =>
      isMoment[index] === true ? { ...type, scalarType: 'string' } : type,
    ),
  };
}

function parseTimestampsAsUtc({ types, ...statement }: SqlStatement): SqlStatement {
  if (types === undefined) return statement;
  const getTypeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary'
      ? convertTimestamptzToUtc
      : types.getTypeParser(oid, format);
  return { ...statement, types: { getTypeParser } };
}

/**
 * Returns Prisma's official adapter with the function `run` in place of the adapter's connection. The adapter's own
 * `queryRaw` converts the values in the results.
 */
function createRedirectedPrismaAdapter(official: object, run: PrismaStatementRunner, methods: object): object {
  const bound: object = Object.assign(Object.create(official), methods);
  const client = { query: (statement: SqlStatement) => run(parseTimestampsAsUtc(statement)) };
  Object.defineProperty(bound, 'client', { value: client });
  for (const name of ['queryRaw', 'executeRaw']) {
    const method: unknown = Reflect.get(official, name);
    if (typeof method !== 'function') throw new Error(`This version of @prisma/adapter-pg has no ${name}`);
    const value = async (query: PrismaQuery): Promise<unknown> =>
      Reflect.apply(method, bound, [addTimeZonesToQueryParameters(query)]);
    Object.defineProperty(bound, name, { value });
  }
  return bound;
}

/**
 * Replaces the functions with which Prisma sends COMMIT and ROLLBACK. The replacement sends nothing, because the
 * transaction of this package sends these statements.
 */
const suppressPrismaTransactionEndStatements = async (): Promise<void> => {};

/**
 * Returns a factory of Prisma driver adapters without a connection. The function `runOutsideTransaction` runs
 * statements outside transactions. The function that `beginTransaction` returns runs statements inside a transaction.
 * Because `createSavepoint` is missing, Prisma rejects nested transactions.
 */
export function createBoundAdapterFactory<Factory extends PrismaAdapterFactory>(
  officialAdapter: PrismaPgAdapterClass<Factory>,
  { pool, runOutsideTransaction, beginTransaction }: PrismaAdapterStatementRunners,
): Factory {
  const factory = new officialAdapter(pool);
  const connect = async (): Promise<object> => {
    const official = await factory.connect();
    const transactionMethods = {
      // Makes Prisma call `commit` and `rollback` instead of sending COMMIT and ROLLBACK by `executeRaw`.
      options: { usePhantomQuery: true },
      commit: suppressPrismaTransactionEndStatements,
      rollback: suppressPrismaTransactionEndStatements,
    };
    const startTransaction = async (): Promise<object> =>
      createRedirectedPrismaAdapter(official, beginTransaction(), transactionMethods);
    return createRedirectedPrismaAdapter(official, runOutsideTransaction, { startTransaction });
  };
  return Object.assign(Object.create(factory), { connect });
}
