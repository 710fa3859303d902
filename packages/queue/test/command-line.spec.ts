import { readFileSync } from 'node:fs';
import { reserveLocalPort } from '@switchboard/testing';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { helpText } from '../src/command-line/help.js';
import { optionNames } from '../src/command-line/parse-options.js';
import { runCommandLine } from '../src/command-line/run-command-line.js';
import {
  defineOutboxMessage,
  Outbox,
  createQueueMigrationScript,
  listQueueMigrationSql,
  setQueuePrefix,
} from '../src/index.js';
import { redisUrl, testPool, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let url: string;

beforeAll(async () => {
  ({ pool, drop } = await testPool({ checksPrefix: true }));
  url = pool.options.connectionString ?? '';
});
afterAll(() => drop());

interface Output {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

/** Runs the command line with the environment variables of a test database, unless the caller passes an environment. */
async function run(
  args: readonly string[],
  environment: Record<string, string> = { DATABASE_URL: url },
): Promise<Output> {
  let text = '';
  let errors = '';
  const code = await runCommandLine({
    args,
    environment,
    print: (printed) => (text += printed),
    printError: (printed) => (errors += printed),
  });
  return { code, text, errors };
}

async function runJson<T>(...args: string[]): Promise<T> {
  const { text, errors } = await run([...args, '--json']);
  expect(errors).toBe('');
  return JSON.parse(text) as T;
}

describe('switchboard-queue --help', () => {
  it('prints the text of the README, which names each option', async () => {
    expect(await run(['--help'], {})).toEqual({ code: 0, text: helpText, errors: '' });
    expect(await run(['dead-letters', 'list', '-h'], {})).toEqual({ code: 0, text: helpText, errors: '' });
    for (const name of optionNames) expect(helpText).toContain(`  --${name} `);
    expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(`\`\`\`text\n${helpText}\`\`\``);
  });

  it('prints the version of the package with --version', async () => {
    expect((await run(['--version'], {})).text).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('switchboard-queue with a wrong command line', () => {
  it.each([
    [[], 'A command is missing'],
    [['requeue'], 'Unknown command requeue'],
    [['dead-letters'], 'dead-letters needs list, requeue or discard'],
    [['dead-letters', 'remove'], 'Unknown command dead-letters remove'],
    [['status', 'now'], 'status takes no argument now'],
    [['status', '--verbose'], "Unknown option '--verbose'"],
    [['status', '--yes'], 'status has no option --yes'],
    [['status', '--schema'], "Option '--schema <value>' argument missing"],
    [['status', '--schema', 'Queue'], 'Queue'],
    [['dead-letters', 'list', '--limit', '0'], '--limit must be an integer from 1, not 0'],
    [['dead-letters', 'list', '--limit', '10001'], '--limit of a list is at most 10000'],
    [['dead-letters', 'list', '--before', 'yesterday'], '--before must be like 2026-11-30'],
    [['dead-letters', 'list', '--before', '2026-13-30'], '--before must be like 2026-11-30'],
    [['dead-letters', 'list', '--before', '2026-11-30T12:00:00'], '--before must be like 2026-11-30'],
    [['dead-letters', 'list', '--after', '12'], '--after must be a cursor of list, not 12'],
    [['dead-letters', 'requeue', 'abc'], 'An id must be an integer from 1, not abc'],
    [['dead-letters', 'requeue', '--yes'], 'dead-letters requeue needs ids, --type or --before'],
    [['dead-letters', 'discard', '--limit', '3'], 'dead-letters discard needs ids, --type or --before'],
  ])('exits with 2 and a one-line error for %j', async (args, message) => {
    const { code, text, errors } = await run(args);
    expect({ code, text }).toEqual({ code: 2, text: '' });
    expect(errors).toContain(message);
    expect(errors).toMatch(/^switchboard-queue: .+\n$/);
  });

  it('exits with 2 when no database URL is given', async () => {
    const { code, errors } = await run(['status'], {});
    expect([code, errors]).toEqual([2, 'switchboard-queue: Set DATABASE_URL, or give --database-url (see --help)\n']);
  });

  it('exits with 2 for a URL of Redis that cannot be parsed, without its password', async () => {
    const { code, errors } = await run(['status', '--redis-url', 'http://user:s3cret@host']);
    expect(code).toBe(2);
    expect(errors).toMatch(/^switchboard-queue: .*redis:\/\/host.*\n$/);
    expect(errors).not.toContain('s3cret');
  });
});

describe('switchboard-queue with a database that it cannot use', () => {
  it('exits with 1 and a one-line error without the password when the address is unreachable', async () => {
    const port = await reserveLocalPort();
    const { code, text, errors } = await run(['migrate', `--database-url=postgres://me:hunter22@localhost:${port}/x`]);
    expect({ code, text }).toEqual({ code: 1, text: '' });
    expect(errors).toMatch(/^switchboard-queue: .*ECONNREFUSED.*\n$/);
    expect(errors).not.toContain('hunter22');
  });

  it('exits with 1 and a one-line error when the database does not exist', async () => {
    const { code, errors } = await run(['status'], { DATABASE_URL: url.replace(/[^/]+$/, 'hunter22_missing') });
    expect([code, errors]).toEqual([1, 'switchboard-queue: database "hunter22_missing" does not exist\n']);
  });

  it('hides passwords when an error message repeats a URL', async () => {
    const { code, errors } = await run(['status', 'postgres://me:hunter22@host/x']);
    expect([code, errors]).toEqual([
      2,
      'switchboard-queue: status takes no argument postgres://***@host/x (see --help)\n',
    ]);
  });

  it('names the command migrate when the tables are missing', async () => {
    const { code, errors } = await run(['dead-letters', 'list', '--schema', 'absent']);
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^switchboard-queue: relation "absent\.outbox" does not exist \(run the command migrate\)\n$/,
    );
  });
});

describe('switchboard-queue sql', () => {
  it('prints the script of the migrations without a database', async () => {
    const script = await createQueueMigrationScript({ schema: 'orders' });
    expect(await run(['sql', '--schema', 'orders'], {})).toEqual({ code: 0, text: script, errors: '' });
  });

  it('prints each migration with --json', async () => {
    expect(JSON.parse((await run(['sql', '--json'], {})).text)).toEqual(await listQueueMigrationSql());
  });
});

describe('switchboard-queue migrate and status', () => {
  it('exit with 3 before the migrations are applied and with 0 afterwards', async () => {
    const schema = ['--schema', 'orders'];
    const names = (await listQueueMigrationSql()).map(({ name }) => name);
    const before = await run(['status', ...schema]);
    expect([before.code, before.text]).toEqual([3, expect.stringContaining(`0 applied, ${names.length} pending`)]);
    expect(before.text).toContain(`  pending ${names[0]}\n`);
    const migrated = await run(['migrate', ...schema]);
    expect(migrated).toEqual({ code: 0, text: names.map((name) => `applied ${name}\n`).join(''), errors: '' });
    expect((await run(['migrate', ...schema])).text).toBe('No migration was pending.\n');
    expect(await runJson('migrate', ...schema)).toEqual({ schema: 'orders', applied: [] });
    const after = await run(['status', ...schema]);
    expect([after.code, after.text]).toEqual([0, expect.stringContaining(`${names.length} applied, 0 pending`)]);
  });

  it('exits with 1 and names the problem when an applied file was edited', async () => {
    await run(['migrate', '--schema', 'edited']);
    await pool.query("UPDATE edited.migrations SET checksum = 'other' WHERE version = 2");
    const { code, text } = await run(['status', '--schema', 'edited']);
    expect(code).toBe(1);
    expect(text).toMatch(/ {2}edited 002_\w+\.sql\n {2}problem: .*was edited after it was applied/);
    const migrated = await run(['migrate', '--schema', 'edited']);
    expect(migrated.code).toBe(1);
    expect(migrated.errors).toMatch(/^switchboard-queue: .*was edited after it was applied.*\n$/);
  });

  it('shows the prefix, the outbox and Redis', async () => {
    await run(['migrate', '--schema', 'shown']);
    await setQueuePrefix(pool, { schema: 'shown', prefix: 'shop' });
    await pool.query(`INSERT INTO shown.outbox (topic, payload, set_aside_at)
      VALUES ('orders.placed', '{}', NULL), ('orders.placed', '{}', now())`);
    const args = ['--schema', 'shown', '--redis-url', redisUrl];
    const status = await runJson('status', ...args);
    expect(status).toMatchObject({
      schema: 'shown',
      prefix: 'shop',
      pending: [],
      problem: null,
      outbox: [{ topic: 'orders.placed', waiting: 1, deadLetters: 1 }],
      redis: { losingPolicy: null },
    });
    const { text } = await run(['status', ...args]);
    expect(text).toMatch(/^schema shown: prefix shop\n/);
    expect(text).toMatch(/\noutbox orders\.placed: 1 waiting since \d+ s, 1 dead letters\nredis: reachable\n$/);
  });

  it('exits with 1 when Redis does not respond', async () => {
    const { code, errors } = await run(['status', '--redis-url', `redis://127.0.0.1:${await reserveLocalPort()}`]);
    expect([code, errors]).toEqual([1, expect.stringMatching(/^switchboard-queue: Redis did not respond.*\n$/)]);
  });
});

interface Page {
  deadLetters: { id: number; type: string; payload?: unknown }[];
  next: string | null;
}

/** Adds dead letters of a message type that failed in the given year, and returns their ids. */
async function addDeadLetters(type: string, count: number, year = 2025): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO queue.outbox (topic, payload, key, attempts, error, set_aside_at)
     SELECT $1, json_build_object('n', n), 'key ' || n, 10, E'Error: failed\\n\\x1b[31m at line ' || n,
            make_timestamptz($3, 6, 1, 12, 0, 0, 'UTC')
     FROM generate_series(1, $2::int) AS n ORDER BY n RETURNING id`,
    [type, count, year],
  );
  return rows.map(({ id }) => Number(id));
}

const listStored = async (): Promise<{ type: string; dead: boolean; attempts: number }[]> =>
  (await pool.query('SELECT topic AS type, set_aside_at IS NOT NULL AS dead, attempts FROM queue.outbox ORDER BY id'))
    .rows;

const countDead = async (): Promise<number> => (await listStored()).filter(({ dead }) => dead).length;

describe('switchboard-queue dead-letters', () => {
  beforeEach(() => pool.query('TRUNCATE queue.outbox, queue.switchboard_deployment'));

  it('list returns all dead letters of all types page by page', async () => {
    const ids = [...(await addDeadLetters('b.second', 3)), ...(await addDeadLetters('a.first', 2))];
    await pool.query("INSERT INTO queue.outbox (topic, payload) VALUES ('a.first', '{}')");
    const found: Page['deadLetters'] = [];
    let pages = 0;
    for (let after: string[] = []; ; pages += 1) {
      const page: Page = await runJson('dead-letters', 'list', '--limit', '2', ...after);
      found.push(...page.deadLetters);
      if (page.next === null) break;
      after = ['--after', page.next];
    }
    expect(pages).toBe(2);
    expect(found.map(({ type }) => type)).toEqual(['a.first', 'a.first', 'b.second', 'b.second', 'b.second']);
    expect(found.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
    expect(found[0]).toMatchObject({ key: 'key 1', attempts: 10, deadLetteredAt: '2025-06-01T12:00:00.000Z' });
  });

  it('lists by type and time, with payloads only if --payload is given', async () => {
    await addDeadLetters('orders.placed', 1, 2024);
    await addDeadLetters('orders.placed', 1, 2026);
    await addDeadLetters('orders.paid', 1, 2024);
    const args = ['dead-letters', 'list', '--type', 'orders.placed', '--before', '2025-01-01'];
    const { deadLetters } = await runJson<Page>(...args);
    expect(deadLetters).toHaveLength(1);
    expect(deadLetters[0]).not.toHaveProperty('payload');
    expect((await runJson<Page>(...args, '--payload')).deadLetters).toMatchObject([{ payload: { n: 1 } }]);
  });

  it('list prints one line per dead letter without control characters, and the cursor of the next page', async () => {
    const [id] = await addDeadLetters('orders.placed', 2);
    const { text } = await run(['dead-letters', 'list', '--limit', '1']);
    expect(text).toBe(
      `${id}  orders.placed  key key 1  since 2025-06-01T12:00:00.000Z  after 10 attempts  Error: failed [31m at line 1\n` +
        `Next page: --after orders.placed:${id}\n`,
    );
    expect((await run(['dead-letters', 'list', '--type', 'other'])).text).toBe('There are no dead letters.\n');
  });

  it('list ends pages at 4 MiB of payloads, and returns all dead letters page by page', async () => {
    const ids = await addDeadLetters('orders.placed', 5);
    await pool.query(
      'UPDATE queue.outbox SET payload = json_build_object($1::text, repeat($1, $2)) WHERE id = ANY ($3)',
      ['x', 3 * 1024 * 1024, ids.slice(1, 3)],
    );
    await pool.query('UPDATE queue.outbox SET payload = json_build_object($1::text, repeat($1, $2)) WHERE id = $3', [
      'x',
      5 * 1024 * 1024,
      ids[3],
    ]);
    const pages: number[][] = [];
    for (let after: string[] = []; ;) {
      const page: Page = await runJson('dead-letters', 'list', '--payload', ...after);
      pages.push(page.deadLetters.map(({ id }) => id));
      if (page.next === null) break;
      after = ['--after', page.next];
    }
    const [first, second, third, fourth, fifth] = ids;
    expect(pages).toEqual([[first, second], [third], [fourth], [fifth]]);
    const withoutPayloads = await runJson<Page>('dead-letters', 'list');
    expect([withoutPayloads.deadLetters.map(({ id }) => id), withoutPayloads.next]).toEqual([ids, null]);
  });

  it('requeue requeues the dead letter with the given id, and resets its number of attempts', async () => {
    const [id] = await addDeadLetters('orders.placed', 2);
    expect(await run(['dead-letters', 'requeue', String(id)])).toEqual({
      code: 0,
      text: '1 dead letters requeued\n',
      errors: '',
    });
    expect(await listStored()).toMatchObject([
      { dead: false, attempts: 0 },
      { dead: true, attempts: 10 },
    ]);
  });

  it.each(['requeue', 'discard'])('%s of more than one dead letter requires --yes', async (command) => {
    const ids = (await addDeadLetters('orders.placed', 2)).map(String);
    for (const selection of [ids, ['--type', 'orders.placed'], ['--before', '2026-01-01']]) {
      const { code, errors } = await run(['dead-letters', command, ...selection]);
      expect([code, errors]).toEqual([
        2,
        `switchboard-queue: 2 dead letters match: add --yes to ${command} more than one (see --help)\n`,
      ]);
    }
    expect(await countDead()).toBe(2);
    expect((await run(['dead-letters', command, ...ids, '--yes'])).text).toMatch(/^2 dead letters /);
    expect(await countDead()).toBe(0);
  });

  it('requeue selects dead letters by type, time and limit, oldest first', async () => {
    await addDeadLetters('orders.placed', 3, 2024);
    await addDeadLetters('orders.placed', 1, 2026);
    await addDeadLetters('orders.paid', 1, 2024);
    const args = ['dead-letters', 'requeue', '--type', 'orders.placed', '--before', '2025-01-01T00:00:00Z', '--yes'];
    expect(await runJson(...args, '--limit', '2')).toEqual({ requeued: 2 });
    expect((await listStored()).map(({ dead }) => dead)).toEqual([false, false, true, true, true]);
    expect(await runJson(...args)).toEqual({ requeued: 1 });
    expect(await runJson(...args)).toEqual({ requeued: 0 });
  });

  it('discard deletes dead letters and no other rows', async () => {
    await addDeadLetters('orders.placed', 2);
    await pool.query("INSERT INTO queue.outbox (topic, payload) VALUES ('orders.placed', '{}')");
    expect(await runJson('dead-letters', 'discard', '--type', 'orders.placed', '--yes')).toEqual({ discarded: 2 });
    expect(await listStored()).toMatchObject([{ dead: false }]);
  });

  it('exits with 1 when an id is not that of a dead letter', async () => {
    const [id] = await addDeadLetters('orders.placed', 1);
    const { code, text } = await run(['dead-letters', 'discard', String(id), '999999', '--yes']);
    expect([code, text]).toEqual([1, '1 dead letters discarded, 1 ids are none\n']);
  });

  it('requeue changes more dead letters than one SQL statement can change', async () => {
    await addDeadLetters('orders.placed', 2_001);
    await addDeadLetters('orders.paid', 500);
    expect(await runJson('dead-letters', 'requeue', '--before', '2026-01-01', '--yes')).toEqual({ requeued: 2_501 });
    expect(await countDead()).toBe(0);
  });
});

describe('switchboard-queue dead-letters with workers', () => {
  const prefix = uniqueName();
  const dispatched: string[] = [];
  const type = defineOutboxMessage({
    name: 'letters.read',
    version: 1,
    payload: z.object({ n: z.int() }),
    order: 'key',
  });
  let outbox: Outbox;

  beforeEach(async () => {
    await pool.query('TRUNCATE queue.outbox, queue.switchboard_deployment');
    dispatched.length = 0;
    // No sweep runs during a test.
    outbox = new Outbox({ pool, redis: redisUrl, prefix, sweepMs: 3_600_000 });
    outbox.dispatch(type, async (rows) => void dispatched.push(...rows.map(({ key }) => key ?? '')));
    await outbox.start('worker');
    await outbox.sweep();
  });
  afterEach(() => outbox.stop());

  const environment = (): Record<string, string> => ({ DATABASE_URL: url, REDIS_URL: redisUrl });

  it('requeue notifies the workers of the deployment through Redis', async () => {
    const [id] = await addDeadLetters(type.name, 1);
    expect((await run(['dead-letters', 'requeue', String(id)], environment())).code).toBe(0);
    await until(() => dispatched.length > 0);
    expect(dispatched).toEqual(['key 1']);
    expect(await listStored()).toEqual([]);
  });

  it('discard lets workers continue with later rows of the same key', async () => {
    const [id] = await addDeadLetters(type.name, 1);
    await pool.query(`INSERT INTO queue.outbox (topic, payload, key) VALUES ($1, '{"n":2}', 'key 1')`, [type.name]);
    expect((await run(['dead-letters', 'discard', String(id)], environment())).code).toBe(0);
    await until(() => dispatched.length > 0);
    expect(dispatched).toEqual(['key 1']);
  });

  it('requeue changes the rows and prints a warning while Redis is unavailable', async () => {
    const [id] = await addDeadLetters(type.name, 1);
    const REDIS_URL = `redis://127.0.0.1:${await reserveLocalPort()}`;
    expect(await run(['dead-letters', 'requeue', String(id)], { DATABASE_URL: url, REDIS_URL })).toEqual({
      code: 0,
      text: '1 dead letters requeued\n',
      errors: 'switchboard-queue: Redis is unavailable: workers find the rows at their next sweep\n',
    });
    expect(await countDead()).toBe(0);
  });
});
