import { EventEmitter } from 'node:events';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  UnknownCommitOutcomeError,
  type Database,
  type BeforeCommitContext,
  NestedTransactionError,
  type OpenTx,
  TransactionAbortedError,
  TransactionClosedError,
  type Tx,
} from '../src/index.js';
import {
  createScratchDatabase,
  dropScratchDatabase,
  failureOf,
  type LogLine,
  openWithLog,
} from './temporary-database.js';

interface Hooks {
  beforeCommit: (tx: Tx, ending: BeforeCommitContext) => Promise<void>;
  afterCommit: (tx: Tx) => void;
}

const hooks: Hooks = {
  beforeCommit: async () => {},
  afterCommit: () => {},
};

const connections = 4;

let url: string;
let database: Database;
let lines: LogLine[];

beforeAll(async () => {
  url = await createScratchDatabase();
  ({ database, lines } = openWithLog(url, {
    max: connections,
    beforeCommit: (tx, ending) => hooks.beforeCommit(tx, ending),
    afterCommit: (tx) => hooks.afterCommit(tx),
  }));
  await database.pool.query(`
    CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
    CREATE TABLE pending (account_id int REFERENCES account DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE fatal (id int);
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER fatal_at_commit AFTER INSERT ON fatal
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_session();
  `);
});

afterAll(async () => {
  await database.close();
  await dropScratchDatabase(url);
});

beforeEach(async () => {
  hooks.beforeCommit = async () => {};
  hooks.afterCommit = () => {};
  lines.length = 0;
  await database.query('TRUNCATE account CASCADE');
  await database.query('INSERT INTO account VALUES (1, 100), (2, 100)');
});

async function balance(id: number): Promise<number | undefined> {
  const { rows } = await database.query<{ balance: number }>('SELECT balance FROM account WHERE id = $1', [id]);
  return rows[0]?.balance;
}

const withdraw = (tx: Tx, id: number) => tx.query('UPDATE account SET balance = balance - 1 WHERE id = $1', [id]);

describe('inTransaction', () => {
  it('commits the writes of the function and returns its result', async () => {
    const { rowCount } = await database.inTransaction((tx) => withdraw(tx, 1));
    expect([rowCount, await balance(1)]).toEqual([1, 99]);
  });

  it('rolls back and rethrows when the function throws', async () => {
    const reason = new Error('not today');
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await withdraw(tx, 1);
        throw reason;
      }),
    );
    expect([failure, await balance(1)]).toEqual([reason, 100]);
  });

  it('starts with the requested isolation level and access mode', async () => {
    const show = async (tx: Tx) => {
      const settings =
        "current_setting('transaction_isolation') AS level, current_setting('transaction_read_only') AS ro";
      const { rows } = await tx.query<{ level: string; ro: string }>(`SELECT ${settings}`);
      return [rows[0]?.level, rows[0]?.ro];
    };
    expect(await database.inTransaction(show)).toEqual(['read committed', 'off']);
    expect(await database.inTransaction(show, { isolation: 'serializable' })).toEqual(['serializable', 'off']);
    const snapshot = { isolation: 'repeatable read', readOnly: true } as const;
    expect(await database.inTransaction(show, snapshot)).toEqual(['repeatable read', 'on']);
  });

  it('rejects nesting at any depth', async () => {
    const inner = async () => {
      await Promise.resolve();
      return database.inTransaction(async () => 1);
    };
    expect(await failureOf(database.inTransaction(inner))).toBeInstanceOf(NestedTransactionError);
  });

  it('rejects nesting also when another transaction has ended in between', async () => {
    let go: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      go = resolve;
    });
    const other = database.inTransaction(() => begun);
    const nesting = database.inTransaction(async () => {
      go();
      await other;
      return database.inTransaction(async () => 1);
    });
    expect(await failureOf(nesting)).toBeInstanceOf(NestedTransactionError);
  });

  it('lets asynchronous work that continues after the transaction start another transaction', async () => {
    let later: Promise<number> | undefined;
    let go: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      go = resolve;
    });
    await database.inTransaction(async () => {
      later = ended.then(() => database.inTransaction(async () => 7));
    });
    go();
    expect(await later).toBe(7);
  });

  it('rejects statements after its end', async () => {
    const kept = await database.inTransaction(async (tx) => tx);
    expect(await failureOf(kept.query('SELECT 1'))).toBeInstanceOf(TransactionClosedError);
  });

  it('throws the error of the first failed statement when only a later statement throws', async () => {
    const failing = database.inTransaction(async (tx) => {
      await tx.query('SELECT 1 / 0').catch(() => undefined);
      await tx.query('SELECT 1');
    });
    expect(await failureOf(failing)).toMatchObject({ code: '22012' });
  });

  it('throws when a failed statement was swallowed, because PostgreSQL then rolls back', async () => {
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        await withdraw(tx, 1);
        await failureOf(tx.query('INSERT INTO account VALUES (1, 0)'));
      }),
    );
    expect(failure).toBeInstanceOf(TransactionAbortedError);
    expect(convertErrorToDatabaseFault(failure)?.constraint).toBe('account_pkey');
    expect(await balance(1)).toBe(100);
  });
});

describe('inTransaction: conflict with another transaction', () => {
  /** Runs two transactions that lock two rows in opposite order, so that a deadlock occurs. */
  async function cross(attempts: number): Promise<{ runs: number; failures: unknown[] }> {
    let runs = 0;
    let holding = 0;
    let met: () => void = () => {};
    const meeting = new Promise<void>((resolve) => {
      met = resolve;
    });
    const move = (first: number, second: number) =>
      database.inTransaction(
        async (tx) => {
          runs += 1;
          await tx.query("SET LOCAL deadlock_timeout = '30ms'");
          await withdraw(tx, first);
          holding += 1;
          if (holding === 2) met();
          await meeting;
          await withdraw(tx, second);
        },
        { attempts },
      );
    const outcomes = await Promise.all([failureOf(move(1, 2)), failureOf(move(2, 1))]);
    return { runs, failures: outcomes.filter((outcome) => outcome !== undefined) };
  }

  it('retries the whole transaction after a deadlock', async () => {
    expect(await cross(4)).toEqual({ runs: 3, failures: [] });
    expect([await balance(1), await balance(2)]).toEqual([98, 98]);
    expect(lines.map(({ message }) => message)).toEqual(['transaction conflicted with another one, retrying']);
  });

  it('throws the deadlock error after the last attempt', async () => {
    const { runs, failures } = await cross(1);
    expect(runs).toBe(2);
    expect(failures.map((failure) => convertErrorToDatabaseFault(failure)?.kind)).toEqual(['deadlock']);
    expect([await balance(1), await balance(2)]).toEqual([99, 99]);
  });

  it('uses a new snapshot in each attempt after a serialization failure', async () => {
    const seen: (number | undefined)[] = [];
    await database.inTransaction(
      async (tx) => {
        const { rows } = await tx.query<{ balance: number }>('SELECT balance FROM account WHERE id = 1');
        seen.push(rows[0]?.balance);
        if (seen.length === 1) await withdraw(database, 1);
        await withdraw(tx, 1);
      },
      { isolation: 'repeatable read' },
    );
    expect([seen, await balance(1)]).toEqual([[100, 99], 98]);
  });

  it('applies each of many concurrent increments of one row at SERIALIZABLE', async () => {
    const increment = () =>
      database.inTransaction(
        async (tx) => {
          const { rows } = await tx.query<{ balance: number }>('SELECT balance FROM account WHERE id = 1');
          await tx.query('UPDATE account SET balance = $1 WHERE id = 1', [(rows[0]?.balance ?? 0) + 1]);
        },
        { isolation: 'serializable', attempts: 20 },
      );
    await Promise.all(Array.from({ length: 8 }, increment));
    expect(await balance(1)).toBe(108);
  });
});

/** Replaces all connections of the pool with new connections. */
async function renew(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: connections }, () => database.pool.connect()));
  for (const client of clients) client.release(true);
}
async function acquaint(): Promise<void> {
  let meet = (): void => {};
  const together = new Promise<void>((resolve) => {
    let waiting = connections;
    meet = () => (waiting -= 1) === 0 && resolve();
  });
  const transaction = (): Promise<void> =>
    database.inTransaction(async (tx) => {
      await tx.query('SELECT 1');
      meet();
      await together;
    });
  await Promise.all(Array.from({ length: connections }, transaction));
}

describe.each([
  ['a new connection', renew],
  ['a connection that has committed before', acquaint],
])('commit on %s', (_which, prepare) => {
  beforeEach(() => prepare());

  it('follows beforeCommit and precedes afterCommit', async () => {
    const steps: string[] = [];
    hooks.beforeCommit = async (tx) => {
      await withdraw(tx, 1);
      steps.push('before');
    };
    hooks.afterCommit = () => steps.push('after');
    await database.inTransaction(async () => steps.push('run'));
    expect([steps, await balance(1)]).toEqual([['run', 'before', 'after'], 99]);
  });

  it('sends COMMIT with the statement of beforeCommit, and rolls back if the statement fails', async () => {
    hooks.beforeCommit = async (tx) => {
      await tx.query('INSERT INTO account VALUES (1, $1)', [5]);
    };
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    const failure = await failureOf(database.inTransaction((tx) => withdraw(tx, 1)));
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unique');
    expect([announced, await balance(1)]).toEqual([[], 100]);
  });

  it('throws UnknownCommitOutcomeError when the connection is lost during the last statement', async () => {
    hooks.beforeCommit = async (tx) => {
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep($1)', [1]);
    };
    expect(await failureOf(database.inTransaction((tx) => withdraw(tx, 1)))).toBeInstanceOf(UnknownCommitOutcomeError);
  });

  it('sends COMMIT with the last statement of finish', async () => {
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    const rows = await database.inTransaction(async (tx) => {
      await withdraw(tx, 1);
      return (await tx.finish('UPDATE account SET balance = balance - 1 WHERE id = $1 RETURNING balance', [2])).rows;
    });
    expect([rows, announced.length, await balance(1), await balance(2)]).toEqual([[{ balance: 99 }], 1, 99, 99]);
  });

  it('needs no BEGIN and COMMIT when finish sends the only statement', async () => {
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    const kept = await database.inTransaction(async (tx) => {
      await tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [2]);
      return tx;
    });
    expect([announced.length, await balance(2)]).toEqual([1, 7]);
    expect(await failureOf(kept.finish('SELECT 1'))).toBeInstanceOf(TransactionClosedError);
  });

  it('follows the statements of beforeCommit when Transaction.finish ends the transaction', async () => {
    hooks.beforeCommit = async (tx) => {
      await withdraw(tx, 1);
    };
    await database.inTransaction((tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [2]));
    expect([await balance(1), await balance(2)]).toEqual([99, 7]);
  });

  it.each([
    ['the only one', async () => {}],
    ['the last of several', async (tx: Tx) => withdraw(tx, 1)],
  ])('becomes a rollback when the statement sent by finish fails as %s', async (_case, first) => {
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    const failing = database.inTransaction(async (tx) => {
      await first(tx);
      await tx.finish('INSERT INTO account VALUES (1, $1)', [5]);
    });
    expect(convertErrorToDatabaseFault(await failureOf(failing))?.kind).toBe('unique');
    expect([announced, await balance(1)]).toEqual([[], 100]);
  });

  it('does not cause a call of afterCommit when the function swallows the error of finish', async () => {
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    const swallowing = database.inTransaction((tx) =>
      tx.finish('INSERT INTO account VALUES (1, $1)', [5]).catch(() => undefined),
    );
    expect(await failureOf(swallowing)).toBeInstanceOf(TransactionAbortedError);
    expect(announced).toEqual([]);
  });

  it('throws UnknownCommitOutcomeError when the connection is lost during the only statement', async () => {
    const failing = database.inTransaction((tx) =>
      tx.finish('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep($1)', [1]),
    );
    expect(await failureOf(failing)).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(await balance(1)).toBe(100);
  });

  it('fails when beforeCommit throws after finish was called', async () => {
    hooks.beforeCommit = () => Promise.reject(new Error('full'));
    const failing = database.inTransaction((tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [2]));
    expect(await failureOf(failing)).toMatchObject({ message: 'full' });
    expect(await balance(2)).toBe(100);
  });

  it('rejects statements that beforeCommit sends after it has awaited an earlier statement', async () => {
    hooks.beforeCommit = async (tx) => {
      await withdraw(tx, 1);
      await withdraw(tx, 2);
    };
    expect(await failureOf(database.inTransaction(async () => {}))).toBeInstanceOf(TransactionClosedError);
  });

  it('fails when beforeCommit fails', async () => {
    hooks.beforeCommit = () => Promise.reject(new Error('full'));
    const announced: Tx[] = [];
    hooks.afterCommit = (tx) => announced.push(tx);
    expect(await failureOf(database.inTransaction((tx) => withdraw(tx, 1)))).toMatchObject({ message: 'full' });
    expect([announced, await balance(1)]).toEqual([[], 100]);
  });

  it('remains valid when afterCommit throws, and the error is logged', async () => {
    hooks.afterCommit = () => {
      throw new Error('no bell');
    };
    await database.inTransaction((tx) => withdraw(tx, 1));
    expect([lines.map(({ level }) => level), await balance(1)]).toEqual([['error'], 99]);
  });

  it('follows all statements that beforeCommit sends before its first await', async () => {
    let seen: Promise<unknown> = Promise.resolve();
    hooks.beforeCommit = async (tx) => {
      const withdrawn = withdraw(tx, 1);
      seen = tx.query('SELECT balance, pg_current_xact_id_if_assigned() IS NULL AS over FROM account WHERE id = 1');
      await Promise.all([withdrawn, seen]);
    };
    await database.inTransaction((tx) => withdraw(tx, 1));
    expect(await seen).toMatchObject({ rows: [{ balance: 98, over: false }] });
  });

  it('passes commitFollows to beforeCommit: false after Tx.finish, which commits with its statement', async () => {
    const announced: BeforeCommitContext[] = [];
    hooks.beforeCommit = async (_, ending) => {
      announced.push(ending);
    };
    await database.inTransaction((tx) => withdraw(tx, 1));
    await database.inTransaction((tx) => tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [2]));
    expect(announced).toEqual([{ commitFollows: true }, { commitFollows: false }]);
  });

  it('fails when the last statement of beforeCommit fails, and leaves the connection usable', async () => {
    hooks.beforeCommit = async (tx) => {
      await Promise.all([withdraw(tx, 1), tx.query('SELECT 1 / $1::int', [0])]);
    };
    const failures = await Promise.all(
      Array.from({ length: 12 }, () => failureOf(database.inTransaction(async () => {}))),
    );
    for (const failure of failures) expect(failure).toMatchObject({ code: '22012' });
    hooks.beforeCommit = async () => {};
    await database.inTransaction((tx) => withdraw(tx, 1));
    expect(await balance(1)).toBe(99);
  });

  it('allows afterCommit to start a transaction', async () => {
    let follow: Promise<unknown> = Promise.resolve();
    hooks.afterCommit = () => {
      hooks.afterCommit = () => {};
      follow = database.inTransaction((tx) => withdraw(tx, 2));
    };
    await database.inTransaction((tx) => withdraw(tx, 1));
    await follow;
    expect(await balance(2)).toBe(99);
  });

  it('throws a database error when COMMIT fails, and reuses the connection', async () => {
    await database.query('SELECT 1');
    const before = database.pool.totalCount;
    const failure = await failureOf(database.inTransaction((tx) => tx.query('INSERT INTO pending VALUES ($1)', [9])));
    expect(convertErrorToDatabaseFault(failure)?.kind).toBe('foreign_key');
    expect(database.pool.totalCount).toBe(before);
  });

  it('throws a database error when COMMIT fails after finish was called, and later transactions commit', async () => {
    await database.query('SELECT 1');
    const before = database.pool.totalCount;
    const failing = database.inTransaction(async (tx) => {
      await withdraw(tx, 1);
      await tx.finish('INSERT INTO pending VALUES ($1)', [9]);
    });
    expect(convertErrorToDatabaseFault(await failureOf(failing))?.kind).toBe('foreign_key');
    await database.inTransaction((tx) => withdraw(tx, 2));
    expect([database.pool.totalCount, await balance(1), await balance(2)]).toEqual([before, 100, 99]);
  });

  it('throws UnknownCommitOutcomeError without a retry when the connection is lost during COMMIT', async () => {
    let runs = 0;
    const failure = await failureOf(
      database.inTransaction(async (tx) => {
        runs += 1;
        await tx.query('INSERT INTO fatal VALUES ($1)', [1]);
      }),
    );
    expect(failure).toBeInstanceOf(UnknownCommitOutcomeError);
    expect(runs).toBe(1);
  });
});

describe('inTransaction on a reused connection', () => {
  /**
   * Counts the ReadyForQuery messages that the server sends while `run` runs. The pool must have only one connection.
   */
  async function readySigns(run: (tx: OpenTx) => Promise<unknown>): Promise<number> {
    const { database: single } = openWithLog(url, {
      max: 1,
      beforeCommit: (tx, ending) => hooks.beforeCommit(tx, ending),
    });
    try {
      await single.inTransaction((tx) => tx.query('SELECT 1'));
      let signs = 0;
      const client = await single.pool.connect();
      const connection: unknown = Reflect.get(client, 'connection');
      if (connection instanceof EventEmitter) connection.on('readyForQuery', () => (signs += 1));
      client.release();
      await single.inTransaction(run);
      return signs;
    } finally {
      await single.close();
    }
  }

  it('sends BEGIN together with the first statement, and COMMIT together with the last statement', async () => {
    expect(await readySigns((tx) => withdraw(tx, 1))).toBe(2);
    const finishing = async (tx: OpenTx): Promise<void> => {
      await withdraw(tx, 1);
      await tx.finish('UPDATE account SET balance = 7 WHERE id = $1', [2]);
    };
    expect(await readySigns(finishing)).toBe(2);
    hooks.beforeCommit = async (tx) => {
      await Promise.all([withdraw(tx, 1), withdraw(tx, 2)]);
    };
    expect(await readySigns((tx) => withdraw(tx, 1))).toBe(3);
    expect(await readySigns(async () => {})).toBe(2);
    expect([await balance(1), await balance(2)]).toEqual([93, 3]);
  });

  it('prepares a named statement even if the statement fails', async () => {
    const { database: single } = openWithLog(url, { max: 1 });
    const named = { name: 'twice', text: 'INSERT INTO account VALUES ($1, 1)', values: [1] };
    try {
      await single.inTransaction((tx) => tx.query('SELECT 1'));
      for (let n = 0; n < 2; n += 1) {
        const failure = await failureOf(single.inTransaction((tx) => tx.query(named)));
        expect(convertErrorToDatabaseFault(failure)?.kind).toBe('unique');
      }
      const bad = { name: 'bad', text: 'SELECT $1 FROM nowhere', values: [1] };
      for (let n = 0; n < 2; n += 1) {
        expect(await failureOf(single.inTransaction((tx) => tx.query(bad)))).toMatchObject({ code: '42P01' });
      }
      await single.inTransaction((tx) => tx.query({ ...named, values: [3] }));
      expect(await balance(3)).toBe(1);
    } finally {
      await single.close();
    }
  });
});
