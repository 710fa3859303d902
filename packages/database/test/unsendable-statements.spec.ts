import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UnknownCommitOutcomeError, type Database, TransactionAbortedError, type Tx } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase, failureOf, openWithLog } from './temporary-database.js';

let url: string;
let database: Database;
let beforeCommit: (tx: Tx) => Promise<unknown>;
let announced: number;

beforeAll(async () => {
  url = await createScratchDatabase();
  const { database: first } = openWithLog(url);
  await first.pool.query(`
    CREATE TABLE account (id int PRIMARY KEY, balance int8 NOT NULL);
    CREATE TABLE pending (account_id int REFERENCES account DEFERRABLE INITIALLY DEFERRED);
  `);
  await first.close();
});

afterAll(() => dropScratchDatabase(url));

/** Opens a database with one connection, on which BEGIN and COMMIT are already prepared. */
beforeEach(async () => {
  beforeCommit = async () => {};
  announced = 0;
  ({ database } = openWithLog(url, {
    max: 1,
    beforeCommit: async (tx) => {
      await beforeCommit(tx);
    },
    afterCommit: () => {
      announced += 1;
    },
  }));
  await database.query('TRUNCATE account CASCADE');
  await database.query('INSERT INTO account VALUES (1, 100), (2, 100)');
  await database.inTransaction((tx) => tx.query('SELECT 1'));
  announced = 0;
});

afterEach(() => database.close());

const withdraw = (tx: Tx, id: number) => tx.query('UPDATE account SET balance = balance - 1 WHERE id = $1', [id]);

async function balances(): Promise<number[]> {
  const { rows } = await database.query<{ balance: number }>('SELECT balance FROM account ORDER BY id');
  return rows.map(({ balance }) => balance);
}

/** Returns the id of the server process that serves the only connection of the pool. */
async function backend(): Promise<number | undefined> {
  return (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}

function circle(): object {
  const self: { self?: object } = {};
  self.self = self;
  return self;
}

/** Test cases for two ways to send a statement: in one message with BEGIN, or after BEGIN has succeeded. */
const forms: [string, (id: number) => [string, unknown[]?]][] = [
  ['values', (id) => ['UPDATE account SET balance = balance - 1 WHERE id = $1', [id]]],
  ['no values', (id) => [`UPDATE account SET balance = balance - 1 WHERE id = ${id}`]],
];

describe('transaction whose BEGIN did not reach the server', () => {
  beforeEach(async () => {
    await database.query('DEALLOCATE "BEGIN ISOLATION LEVEL READ COMMITTED"');
  });

  it.each(forms)('rejects all statements after a first statement that has %s', async (_form, update) => {
    let later: unknown;
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await failureOf(tx.query('SELECT 1 WHERE $1', [true]));
        later = await failureOf(tx.query(...update(1)));
        throw new Error('undo');
      }),
    );
    expect(later).toBeInstanceOf(TransactionAbortedError);
    expect(failure).toMatchObject({ message: 'undo' });
    expect(await balances()).toEqual([100, 100]);
  });

  it('throws the error of the server when the first statement is the only statement', async () => {
    expect(await failureOf(database.inTransaction((tx) => withdraw(tx, 1)))).toMatchObject({ code: '26000' });
    expect([announced, await balances()]).toEqual([0, [100, 100]]);
  });

  it.each(forms)(
    'throws CommitUnknownError when the function sent further statements after the first, with %s',
    async (_form, update) => {
      const failure = await failureOf(
        database.inTransaction(async (tx) => {
          await Promise.all([tx.query(...update(1)), tx.query(...update(2))]);
        }),
      );
      expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
      expect(failure).toMatchObject({ cause: { code: '26000' } });
      expect((await balances())[1]).toBe(99);
    },
  );

  it.each(forms)(
    'throws CommitUnknownError even if the function swallows all errors, with %s',
    async (_form, update) => {
      const swallowing = database.inTransaction(async (tx) => {
        await Promise.allSettled([tx.query(...update(1)), tx.query(...update(2))]);
      });
      expect(await failureOf(swallowing)).toBeInstanceOf(UnknownCommitOutcomeError);
      expect(announced).toBe(0);
    },
  );

  it.each(forms)(
    'throws CommitUnknownError when the only statement before COMMIT fails and the last statement may have been committed, with %s',
    async (_form, update) => {
      const [only, behind] = [update(1), update(2)];
      beforeCommit = (tx) => Promise.allSettled([tx.query(...only)]);
      expect(await failureOf(database.inTransaction((tx) => tx.finish(...behind)))).toBeInstanceOf(
        UnknownCommitOutcomeError,
      );
      expect([announced, (await balances())[1]]).toEqual([0, 99]);
    },
  );

  it.each(forms)('leaves the connection usable for the next transaction, with %s', async (_form, update) => {
    const before = await backend();
    await database.query('DEALLOCATE ALL');
    await failureOf(database.inTransaction((tx) => tx.query(...update(1))));
    expect(await failureOf(database.inTransaction((tx) => tx.query(...update(2))))).toBeUndefined();
    expect(await backend()).not.toBe(before);
    expect((await balances())[1]).toBe(99);
  });
});

describe('transaction whose BEGIN was not sent because pg rejects its first statement', () => {
  const often = (tx: Tx) => tx.query('SELECT $1::text', ['x']);

  /** Prepares a statement under the name that the pool would assign to its next prepared statement. */
  beforeEach(async () => {
    for (let n = 0; n < 4; n += 1) await often(database);
    await database.query({ name: 'auto_1', text: 'SELECT $1::int', values: [1] });
  });

  it('rejects further statements', async () => {
    let later: unknown;
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await failureOf(often(tx));
        later = await failureOf(withdraw(tx, 1));
        throw new Error('undo');
      }),
    );
    expect(later).toBeInstanceOf(TransactionAbortedError);
    expect(failure).toMatchObject({ message: 'undo' });
    expect(await balances()).toEqual([100, 100]);
  });

  it('throws UnknownCommitOutcomeError when other statements followed, and the connection stays usable', async () => {
    const failure = await failureOf(database.inTransaction((tx) => Promise.all([often(tx), withdraw(tx, 1)])));
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(failure).toMatchObject({ cause: { message: expect.stringContaining('must be unique') } });
    expect((await database.inTransaction(often)).rows).toEqual([{ text: 'x' }]);
    expect(await balances()).toEqual([99, 100]);
  });
});

describe('transaction whose COMMIT did not reach the server', () => {
  it('rolls back, and the next transaction on the connection commits', async () => {
    const forgetful = database.inTransaction(async (tx) => {
      await withdraw(tx, 1);
      await tx.query('DEALLOCATE ALL');
    });
    expect(await failureOf(forgetful)).toMatchObject({ code: '26000' });
    await database.inTransaction((tx) => withdraw(tx, 2));
    expect(await balances()).toEqual([100, 99]);
  });
});

describe('transaction with a statement that is never sent', () => {
  const unsendable: [string, () => [string | { name: string; text: string }, unknown[]]][] = [
    ['JSON with a circle', () => ['SELECT $1::jsonb AS j', [circle()]]],
    ['JSON with a bigint', () => ['SELECT $1::jsonb AS j', [{ n: 1n }]]],
    ['an array of what has no text', () => ['SELECT $1::jsonb[] AS j', [[circle()]]]],
    ['a name that is taken', () => [{ name: 'taken', text: 'SELECT $1::int + 1' }, [1]]],
  ];

  beforeEach(async () => {
    await database.query({ name: 'taken', text: 'SELECT $1::int', values: [1] });
  });

  const isItself = /circular|BigInt|must be unique/;

  describe.each(unsendable)('statement with %s', (_why, statement) => {
    it('rejects further statements, and fails with the error that the function throws', async () => {
      let later: unknown;
      const failure = await failureOf(
        database.inTransaction(async (tx) => {
          await failureOf(tx.query(...statement()));
          later = await failureOf(withdraw(tx, 1));
          throw new Error('undo');
        }),
      );
      expect([later, failure]).toEqual([
        expect.any(TransactionAbortedError),
        expect.objectContaining({ message: 'undo' }),
      ]);
      expect(await balances()).toEqual([100, 100]);
    });

    it('rolls back when the function swallows the error of the statement', async () => {
      const swallowing = database.inTransaction(async (tx) => {
        await withdraw(tx, 1);
        await failureOf(tx.query(...statement()));
      });
      expect(await failureOf(swallowing)).toBeInstanceOf(TransactionAbortedError);
      expect([announced, await balances()]).toEqual([0, [100, 100]]);
    });

    it.each([
      ['the only one', async () => {}],
      ['the last of several', async (tx: Tx) => withdraw(tx, 1)],
    ])('throws the error of the statement when finish receives the statement as %s', async (_case, first) => {
      const before = await backend();
      const failing = database.inTransaction(async (tx) => {
        await first(tx);
        await tx.finish(...statement());
      });
      expect(await failureOf(failing)).toMatchObject({ message: expect.stringMatching(isItself) });
      expect([announced, await balances(), await backend()]).toEqual([0, [100, 100], before]);
    });

    it.each([
      ['first', (tx: Tx) => [tx.query(...statement()), withdraw(tx, 2)]],
      ['between', (tx: Tx) => [withdraw(tx, 1), tx.query(...statement()), withdraw(tx, 2)]],
      ['last', (tx: Tx) => [withdraw(tx, 2), tx.query(...statement())]],
    ])('rolls back when beforeCommit sends the statement in the position: %s', async (_place, send) => {
      const before = await backend();
      beforeCommit = (tx) => Promise.all(send(tx));
      const ways = [
        () => database.inTransaction((tx) => withdraw(tx, 1)),
        () => database.inTransaction((tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [1])),
        () => database.inTransaction(async () => {}),
      ];
      for (const way of ways) {
        expect(await failureOf(way())).toMatchObject({ message: expect.stringMatching(isItself) });
      }
      expect([announced, await balances(), await backend()]).toEqual([0, [100, 100], before]);
    });

    it('rolls back when beforeCommit swallows the error', async () => {
      beforeCommit = (tx) => Promise.allSettled([withdraw(tx, 2), tx.query(...statement())]);
      const ways = [
        () => database.inTransaction((tx) => withdraw(tx, 1)),
        () => database.inTransaction((tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [1])),
      ];
      for (const way of ways) expect(await failureOf(way())).toBeInstanceOf(TransactionAbortedError);
      expect([announced, await balances()]).toEqual([0, [100, 100]]);
    });
  });

  it('rolls back when beforeCommit prepares two SQL texts under one name', async () => {
    const named = (tx: Tx, n: number) => tx.query({ name: 'one', text: `SELECT $1::int + ${n}`, values: [n] });
    beforeCommit = (tx) => Promise.all([withdraw(tx, 2), named(tx, 1), named(tx, 2)]);
    expect(await failureOf(database.inTransaction((tx) => withdraw(tx, 1)))).toMatchObject({
      message: expect.stringMatching(isItself),
    });
    expect([announced, await balances()]).toEqual([0, [100, 100]]);
  });

  it('throws an error of the kind `unavailable` if the connection is lost before COMMIT is sent', async () => {
    const ways: ((tx: Tx & { finish: Tx['query'] }) => Promise<unknown>)[] = [
      async () => {},
      (tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [1]),
    ];
    const failures = [];
    for (const way of ways) {
      const losing = database.inTransaction(async (tx) => {
        await withdraw(tx, 1);
        await failureOf(tx.query('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep($1)', [1]));
        await new Promise((later) => setTimeout(later, 50));
        await way(tx);
      });
      failures.push(await failureOf(losing));
    }
    for (const failure of failures) {
      expect(failure).not.toBeInstanceOf(UnknownCommitOutcomeError);
      expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unavailable');
    }
    expect(await balances()).toEqual([100, 100]);
  });

  it('throws the error of PostgreSQL when the last statement has a wrong number of values', async () => {
    const [text] = ['UPDATE account SET balance = 7 WHERE id = $1'];
    const failing = database.inTransaction(async (tx) => {
      await withdraw(tx, 2);
      await tx.finish(text, [1, 2]);
    });
    expect(await failureOf(failing)).toMatchObject({ code: '08P01' });
    expect(await failureOf(database.inTransaction((tx) => tx.finish(text, [1, 2])))).toMatchObject({ code: '08P01' });
    expect(await balances()).toEqual([100, 100]);
  });
});

describe('committed transaction with an unreadable response', () => {
  const huge = '9007199254740993';
  const [text, values] = [`UPDATE account SET balance = ${huge} WHERE id = $1 RETURNING balance`, [2]];

  const isSet = async (): Promise<boolean> => {
    const { rows } = await database.query<{ set: boolean }>(
      `SELECT balance = ${huge} AS set FROM account WHERE id = 2`,
    );
    return rows[0]?.set === true;
  };

  const unreadable = { cause: expect.any(RangeError) };

  it.each([
    ['the only statement', async () => {}],
    ['the last of several', async (tx: Tx) => withdraw(tx, 1)],
  ])('throws CommitUnknownError when the unreadable response belongs to %s', async (_case, first) => {
    const failing = database.inTransaction(async (tx) => {
      await first(tx);
      await tx.finish(text, values);
    });
    const failure = await failureOf(failing);
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(failure).toMatchObject(unreadable);
    expect(await isSet()).toBe(true);
  });

  it('throws the parse error with the information that the commit was confirmed', async () => {
    const failing = database.inTransaction(async (tx) => {
      await withdraw(tx, 1);
      await tx.finish(text, values);
    });
    expect(await failureOf(failing)).toMatchObject({ message: expect.stringContaining('was committed, ') });
  });

  it('throws UnknownCommitOutcomeError when the function swallows the error', async () => {
    const swallowing = database.inTransaction(async (tx) => {
      await withdraw(tx, 1);
      await failureOf(tx.finish(text, values));
    });
    expect(await failureOf(swallowing)).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(await isSet()).toBe(true);
  });

  it.each([
    ['last', (tx: Tx) => [withdraw(tx, 1), tx.query(text, values)]],
    ['before the last', (tx: Tx) => [tx.query(text, values), withdraw(tx, 1)]],
    ['last, without values', (tx: Tx) => [withdraw(tx, 1), tx.query(text.replace('$1', '2'))]],
  ])('throws CommitUnknownError when beforeCommit sends the statement %s', async (_place, send) => {
    beforeCommit = (tx) => Promise.all(send(tx));
    const failure = await failureOf(database.inTransaction((tx) => withdraw(tx, 1)));
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(failure).toMatchObject({ ...unreadable, message: expect.stringContaining('was committed, ') });
    expect(await isSet()).toBe(true);
  });

  it('throws UnknownCommitOutcomeError when beforeCommit throws after the statement has committed', async () => {
    beforeCommit = async (tx) => {
      await tx.query(text.replace('RETURNING balance', ''), values);
      throw new Error('too late');
    };
    const failure = await failureOf(database.inTransaction((tx) => withdraw(tx, 1)));
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(failure).toMatchObject({ cause: { message: 'too late' } });
    expect(await isSet()).toBe(true);
  });

  it('throws the error of COMMIT and rolls back when COMMIT fails', async () => {
    const failing = database.inTransaction(async (tx) => {
      await tx.query('INSERT INTO pending VALUES ($1)', [9]);
      await tx.finish(text, values);
    });
    expect(convertErrorToDatabaseFault(await failureOf(failing))?.kind).toBe('foreign_key');
    expect(await isSet()).toBe(false);
  });

  it('throws the parse error and rolls back when another statement would follow', async () => {
    expect(await failureOf(database.inTransaction((tx) => tx.query(text, values)))).toBeInstanceOf(RangeError);
    expect(await isSet()).toBe(false);
  });
});

describe('prepared statement after values that cannot be sent', () => {
  const text = 'SELECT $1::jsonb AS j';

  /** Runs a statement so often that the pool prepares this statement. */
  beforeEach(async () => {
    for (let n = 0; n < 8; n += 1) await database.query(text, [{ n }]);
  });

  it('remains usable, in a transaction', async () => {
    const before = await backend();
    expect(await failureOf(database.inTransaction((tx) => tx.query(text, [circle()])))).toBeInstanceOf(TypeError);
    for (let n = 0; n < 2; n += 1) {
      const { rows } = await database.inTransaction((tx) => tx.query(text, [{ n }]));
      expect(rows).toEqual([{ j: { n } }]);
    }
    expect(await backend()).toBe(before);
  });

  it('remains usable, on a pooled connection', async () => {
    const client = await database.pool.connect();
    try {
      const config = { name: 'config', text, values: [circle()] };
      expect(await failureOf(client.query(text, [circle()]))).toBeInstanceOf(TypeError);
      expect(await failureOf(client.query(config))).toBeInstanceOf(TypeError);
      const called = new Promise((resolve) => client.query(text, [circle()], (error) => resolve(error)));
      expect(await called).toBeInstanceOf(TypeError);
      expect((await client.query(text, [{ n: 1 }])).rows).toEqual([{ j: { n: 1 } }]);
      expect((await client.query({ ...config, values: [{ n: 2 }] })).rows).toEqual([{ j: { n: 2 } }]);
    } finally {
      client.release();
    }
  });

  it('receives each value after a single conversion, which equals the conversion of pg', async () => {
    let asked = 0;
    const json = { toJSON: () => ((asked += 1), { a: 1 }) };
    const own = { toPostgres: (prepare: (value: unknown) => unknown) => ((asked += 1), prepare([1, 2])) };
    const moment = new Date('2026-01-31T12:00:00.123Z');
    const given = [
      json,
      own,
      moment,
      ['a"b', null],
      Buffer.from('x'),
      new Uint8Array([120]),
      null,
      undefined,
      7n,
      true,
    ];
    const types = ['jsonb', 'int[]', 'timestamptz', 'text[]', 'bytea', 'bytea', 'int', 'int', 'int8', 'bool'];
    const columns = types.map((type, n) => `$${n + 1}::${type} AS c${n}`).join(', ');
    const { rows } = await database.inTransaction((tx) => tx.query(`SELECT ${columns}`, given));
    const [x] = [Buffer.from('x')];
    const wanted = [{ a: 1 }, [1, 2], moment, ['a"b', null], x, x, null, null, 7, true];
    expect([asked, rows]).toEqual([2, [Object.fromEntries(wanted.map((value, n) => [`c${n}`, value]))]]);
    expect(given).toContain(json);
  });
});
