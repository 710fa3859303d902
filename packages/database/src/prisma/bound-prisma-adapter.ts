import pg from 'pg';
import type { Pool } from 'pg';
import type { QueryOutcome, Statement } from '../transaction-interface.js';
import type { PrismaAdapterFactory, PgAdapterClass } from './prisma-client-types.js';

/** Function that runs a statement of Prisma. */
export type PrismaStatementRunner = (statement: Statement) => Promise<QueryOutcome<unknown>>;

/** Functions that run the statements of a Prisma client. */
export interface AdapterStatementRunners {
  readonly pool: Pool;
  /** Runs statements outside transactions. */
  readonly runOutsideTransaction: PrismaStatementRunner;
  /** Called when Prisma begins a transaction. Returns the function that runs the transaction's statements. */
  readonly beginTransaction: () => PrismaStatementRunner;
}

/** A statement as Prisma passes it to a driver adapter. */
interface PrismaQuery {
  readonly args: unknown[];
  readonly argTypes: readonly { readonly scalarType: string; readonly dbType?: string }[];
}

/** Types of date and time columns that Prisma's official adapter formats correctly in any time zone of the session. */
const typesWithoutTimeZone: ReadonlySet<string | undefined> = new Set(['DATE', 'TIME', 'TIMETZ']);

const parseTimestamptz: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** Converts the text of a timestamptz to UTC, because Prisma's official adapter assumes that all sessions use UTC. */
function convertTimestamptzToUtc(text: string): string {
  const moment = parseTimestamptz(text);
  return moment instanceof Date ? moment.toISOString() : text;
}

function addTimeZone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addTimeZone);
  return typeof value === 'string' || value instanceof Date ? new Date(value).toISOString() : value;
}

/** Adds the time zone to times in a query's parameters, which Prisma's official adapter would omit. */
function addTimeZonesToParameters<Query extends PrismaQuery>(query: Query): Query {
  const isMoment = query.argTypes.map(
    ({ scalarType, dbType }) => scalarType === 'datetime' && !typesWithoutTimeZone.has(dbType),
  );
  if (!isMoment.includes(true)) return query;
  return {
    ...query,
    args: query.args.map((value, index) => (isMoment[index] === true ? addTimeZone(value) : value)),
    argTypes: query.argTypes.map((type, index) =>
      isMoment[index] === true ? { ...type, scalarType: 'string' } : type,
    ),
  };
}

function parseTimestampsAsUtc({ types, ...statement }: Statement): Statement {
  if (types === undefined) return statement;
  const getTypeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary'
      ? convertTimestamptzToUtc
      : types.getTypeParser(oid, format);
  return { ...statement, types: { getTypeParser } };
}

/**
 * Returns Prisma's official adapter with `run` instead of its connection. The adapter's own `queryRaw` converts the
 * values.
 */
function redirectPrismaAdapter(official: object, run: PrismaStatementRunner, methods: object): object {
  const bound: object = Object.assign(Object.create(official), methods);
  const client = { query: (statement: Statement) => run(parseTimestampsAsUtc(statement)) };
  Object.defineProperty(bound, 'client', { value: client });
  for (const name of ['queryRaw', 'executeRaw']) {
    const method: unknown = Reflect.get(official, name);
    if (typeof method !== 'function') throw new Error(`This version of @prisma/adapter-pg has no ${name}`);
    const value = async (query: PrismaQuery): Promise<unknown> =>
      Reflect.apply(method, bound, [addTimeZonesToParameters(query)]);
    Object.defineProperty(bound, name, { value });
  }
  return bound;
}

/** Replaces Prisma's COMMIT and ROLLBACK. It sends nothing, because the transaction of this package sends them. */
const endTransactionWithoutStatement = async (): Promise<void> => {};

/**
 * Returns a factory of Prisma driver adapters without a connection. Statements outside transactions are run by
 * `outside`, and statements inside a transaction by the function that `begin` returns. Because `createSavepoint` is
 * missing, Prisma rejects nested transactions.
 */
export function createBoundAdapterFactory<Factory extends PrismaAdapterFactory>(
  officialAdapter: PgAdapterClass<Factory>,
  { pool, runOutsideTransaction, beginTransaction }: AdapterStatementRunners,
): Factory {
  const factory = new officialAdapter(pool);
  const connect = async (): Promise<object> => {
    const official = await factory.connect();
    const transactionMethods = {
      // Makes Prisma call `commit` and `rollback` instead of sending COMMIT and ROLLBACK by `executeRaw`.
      options: { usePhantomQuery: true },
      commit: endTransactionWithoutStatement,
      rollback: endTransactionWithoutStatement,
    };
    const startTransaction = async (): Promise<object> =>
      redirectPrismaAdapter(official, beginTransaction(), transactionMethods);
    return redirectPrismaAdapter(official, runOutsideTransaction, { startTransaction });
  };
  return Object.assign(Object.create(factory), { connect });
}
