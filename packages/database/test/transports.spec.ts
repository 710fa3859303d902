import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Database,
  framedTransactionTransport,
  type OpenTx,
  plainTransactionTransport,
  type TransactionOptions,
  type TransactionTransport,
  type Tx,
} from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

const circle: { self?: object } = {};
circle.self = circle;

/**
 * SQL statements of the transport tests, by name: statements with values, statements without values, and statements
 * that fail in different ways.
 */
const statements = new Map<string, [sql: string, values?: unknown[]]>([
  ['update', ['UPDATE account SET balance = balance + 1 WHERE id = $1 RETURNING balance', [1]]],
  ['update without values', ['UPDATE account SET balance = balance + 10 WHERE id = 2']],
  ['select', ['SELECT id, balance FROM account WHERE id > $1 ORDER BY id', [0]]],
  ['unique violation', ['INSERT INTO account VALUES ($1, 0)', [1]]],
  ['wrong number of values', ['SELECT $1::int, $2::int', [1]]],
  ['violation found by COMMIT', ['INSERT INTO pending VALUES ($1)', [77]]],
  ['unreadable result', ['SELECT 9007199254740993 + $1::int8 AS large', [1]]],
  ['value that cannot be sent', ['SELECT $1::json', [circle]]],
]);

/** Description of a test transaction with a few statements. */
interface Course {
  /** Names of the statements that the function of the transaction sends. */
  readonly body?: string[];
  /** True if the function of the transaction sends all statements without waiting for results. */
  readonly isParallel?: boolean;
  /** Names of the statements that the callback `beforeCommit` sends. */
  readonly beforeCommit?: string[];
  /** Name of the statement that is passed to `finish` of the transaction. */
  readonly last?: string;
  /** True if the function of the transaction throws an error at its end. */
  readonly throws?: boolean;
  readonly options?: TransactionOptions;
}

/**
 * Test cases for the positions of two statements in a transaction. The statements are in the transaction's function, in
 * `beforeCommit` or in `finish`.
 */
const forms: [name: string, courseOf: (a: string, b: string) => Course][] = [
  ['one after the other', (a, b) => ({ body: [a, b] })],
  ['sent together', (a, b) => ({ body: [a, b], isParallel: true })],
  ['of the function and of beforeCommit', (a, b) => ({ body: [a], beforeCommit: [b] })],
  ['of beforeCommit', (a, b) => ({ beforeCommit: [a, b] })],
  ['of the function and of finish', (a, b) => ({ body: [a], last: b })],
  ['of beforeCommit and of finish', (a, b) => ({ beforeCommit: [a], last: b })],
  ['of a function that throws', (a, b) => ({ body: [a, b], throws: true })],
  ['of a serializable transaction', (a, b) => ({ body: [a], last: b, options: { isolation: 'serializable' } })],
  ['of a transaction that cannot write', (a, b) => ({ body: [a], beforeCommit: [b], options: { readOnly: true } })],
];

function faultOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  return { name, message, code: Reflect.get(error, 'code'), ...(cause !== undefined && { cause: faultOf(cause) }) };
}

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch(faultOf);

function statementOf(name: string): [sql: string, values?: unknown[]] {
  return statements.get(name) ?? [name];
}

function runNamed(tx: Tx, name: string): Promise<unknown> {
  return tx.query(...statementOf(name));
}

/** A test database with one connection and one set of tables. Also records the results of its transactions. */
class Subject {
  #beforeCommit: string[] = [];
  #seen: unknown[] = [];

  private constructor(
    readonly url: string,
    readonly database: Database,
  ) {}

  static async open(transport: TransactionTransport): Promise<Subject> {
    const url = await createScratchDatabase();
    const { database } = openWithLog(url, {
      max: 1,
      transport,
      beforeCommit: async (tx) => {
        await Promise.all(subject.#beforeCommit.map((name) => runNamed(tx, name)));
      },
      afterCommit: () => void subject.#seen.push('committed'),
    });
    const subject = new Subject(url, database);
    await database.pool.query(`
      CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
      CREATE TABLE pending (account_id int REFERENCES account DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO account VALUES (1, 0), (2, 0);
    `);
    return subject;
  }

  async close(): Promise<void> {
    await this.database.close();
    await dropScratchDatabase(this.url);
  }

  /**
   * Runs a test transaction. Returns the results of the statements, the result of the transaction, and the table rows
   * afterwards.
   */
  async run(course: Course): Promise<unknown> {
    this.#seen = [];
    this.#beforeCommit = course.beforeCommit ?? [];
    const result = await outcomeOf(this.database.inTransaction((tx) => this.#body(tx, course), course.options));
    const { rows } = await this.database.pool.query('SELECT * FROM account ORDER BY id');
    return { result, seen: this.#seen, rows };
  }

  async #body(tx: OpenTx, { body = [], isParallel, last, throws }: Course): Promise<unknown> {
    if (isParallel) this.#seen.push(await Promise.all(body.map((name) => outcomeOf(runNamed(tx, name)))));
    else for (const name of body) this.#seen.push(await outcomeOf(runNamed(tx, name)));
    if (throws) throw new Error('undo');
    if (last === undefined) return 'done';
    return tx.finish(...statementOf(last));
  }

  /** Returns the number of ReadyForQuery messages that the server sends during a transaction of one statement. */
  async readySigns(): Promise<number> {
    this.#beforeCommit = [];
    await this.database.inTransaction((tx) => runNamed(tx, 'select'));
    const client = await this.database.pool.connect();
    const connection: unknown = Reflect.get(client, 'connection');
    if (!(connection instanceof EventEmitter)) throw new TypeError('This version of pg has no connection');
    let signs = 0;
    const count = () => (signs += 1);
    connection.on('readyForQuery', count);
    client.release();
    await this.database.inTransaction((tx) => runNamed(tx, 'select'));
    connection.off('readyForQuery', count);
    return signs;
  }
}

describe('framedTransactionTransport and plainTransactionTransport', () => {
  let framed: Subject;
  let plain: Subject;

  beforeAll(async () => {
    [framed, plain] = await Promise.all([
      Subject.open(framedTransactionTransport),
      Subject.open(plainTransactionTransport),
    ]);
  });

  afterAll(() => Promise.all([framed.close(), plain.close()]));

  it.each(forms)(
    'lead to the same results, errors and rows for every pair of statements %s',
    async (_form, courseOf) => {
      for (const a of statements.keys()) {
        for (const b of statements.keys()) {
          const course = courseOf(a, b);
          const [fast, usual] = await Promise.all([framed.run(course), plain.run(course)]);
          expect(fast, `${a}, ${b}`).toEqual(usual);
        }
      }
    },
  );

  it('receive different numbers of messages, because framedTransactionTransport sends BEGIN with the first statement', async () => {
    expect([await framed.readySigns(), await plain.readySigns()]).toEqual([2, 3]);
  });
});
