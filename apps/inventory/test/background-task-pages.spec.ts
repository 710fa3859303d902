import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueTx } from '@switchboard/queue';
import {
  type BackgroundTaskPageRequest,
  type BackgroundTaskStatus,
  countBackgroundTasks,
  findBackgroundTask,
  listBackgroundTaskPlaces,
} from '../src/webhooks/delivery-task-store.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const deliveries = 3000;

// Deliveries of 100 objects, and a few without action object. The first delivery of every third object waits for its next
// attempt. Some deliveries have failed or succeeded, or were stopped by an operator.
const insertDeliveriesSql = `
  INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, waiting_for, next_attempt_at, status, error, created)
  SELECT 'updated', 'dcim.site', n * 7 % 100, '{}', CASE WHEN n % 500 = 9 THEN NULL ELSE 1 END,
    CASE WHEN n * 7 % 100 % 3 = 0 AND n <= 100 THEN 'retry' END,
    now() + CASE WHEN n * 7 % 100 % 3 = 0 AND n <= 100 THEN interval '1 hour' ELSE interval '-1 second' END,
    CASE WHEN n > 100 AND n % 11 = 3 THEN 'failed' WHEN n > 100 AND n % 11 = 5 THEN 'succeeded' ELSE 'queued' END,
    CASE WHEN n % 11 = 3 AND n % 2 = 0 THEN 'Stopped by an operator.' END, now() - n * interval '1 second'
  FROM generate_series(1, ${deliveries}) n`;

// Computes the states and positions of all tasks from the rows themselves.
const selectExpectedTasksSql = `
  SELECT sequence::float8 AS sequence, task AS status, created,
      (CASE WHEN task = 'queued' THEN count(*) FILTER (WHERE task = 'queued') OVER (ORDER BY sequence) - 1 END)::float8 AS position
    FROM (SELECT d.sequence, d.created, CASE
        WHEN d.status = 'succeeded' THEN 'finished'
        WHEN d.status = 'failed' THEN CASE WHEN d.error = 'Stopped by an operator.' THEN 'stopped' ELSE 'failed' END
        WHEN d.id = ANY ($1::uuid[]) THEN 'started'
        WHEN EXISTS (SELECT FROM webhook_deliveries e WHERE e.lane = d.lane AND e.sequence < d.sequence) THEN 'deferred'
        WHEN d.next_attempt_at > now() THEN 'scheduled' ELSE 'queued' END AS task
      FROM webhook_deliveries d) tasks ORDER BY sequence`;

let test: TestInventory;
let running: string[];
beforeAll(async () => {
  test = await startInventory();
  const { database } = test.inventory;
  await database.query(insertDeliveriesSql);
  // One of these deliveries is the first about its object, and one waits for an earlier delivery.
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM webhook_deliveries ORDER BY sequence OFFSET 1 LIMIT 1',
  );
  const { rows: later } = await database.query<{ id: string }>(
    `SELECT id FROM webhook_deliveries WHERE status = 'queued' ORDER BY sequence DESC LIMIT 1`,
  );
  running = [...rows, ...later].map(({ id }) => id);
  await database.query('VACUUM (ANALYZE) webhook_deliveries');
});
afterAll(() => test.close());

type ExpectedTask = Readonly<{
  sequence: number;
  status: BackgroundTaskStatus;
  position: number | null;
  created: Date;
}>;

const readExpectedTasks = async (): Promise<readonly ExpectedTask[]> =>
  (await test.inventory.database.query<ExpectedTask>(selectExpectedTasksSql, [running])).rows;

/** Runs statements, and returns the nodes of their plans. */
async function observePlans(run: (tx: QueueTx) => Promise<unknown>): Promise<PlanNode[]> {
  const { database } = test.inventory;
  const nodes: PlanNode[] = [];
  await run({
    query: async <R>(text: string, values: unknown[] = []) => {
      const { rows } = await database.pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      nodes.push(...nodesOf(rows[0]['QUERY PLAN'][0].Plan as PlanNode));
      const result = await database.pool.query(text, values);
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    },
  });
  return nodes;
}

const unfinished: readonly BackgroundTaskStatus[] = ['queued', 'started', 'deferred', 'scheduled'];

const pages: readonly (readonly [BackgroundTaskStatus[], number, number, number | null])[] = [
  [['queued'], 10, 0, null],
  [['queued'], 10, 55, null],
  [['queued', 'started', 'deferred', 'scheduled'], 50, 0, null],
  [['queued', 'started', 'deferred', 'scheduled'], 50, 40, null],
  [['queued', 'deferred'], 20, 1500, null],
  [['started'], 10, 0, null],
  [['deferred'], 30, 70, null],
  [['scheduled'], 30, 0, null],
  [['queued', 'failed', 'stopped'], 40, 60, null],
  [['failed'], 20, 30, null],
  [['stopped'], 20, 0, null],
  [['finished'], 20, 30, null],
  [['queued', 'scheduled'], 30, 0, 60],
  [['queued', 'finished', 'failed'], 40, 0, 70],
  [['queued'], 10, 100_000, null],
];

describe('listBackgroundTaskPlaces', () => {
  it.each(pages)(
    'returns the states and positions that the rows have: %j, limit %i, offset %i, start %j',
    async (...page) => {
      const [statuses, limit, offset, first] = page;
      const expected = (await readExpectedTasks()).filter(({ status }) => statuses.includes(status));
      const start = first === null ? null : (expected[first]?.sequence ?? 0);
      // Lists without queued deliveries have the newest task first.
      const isDescending = start === null && !statuses.some((status) => unfinished.includes(status));
      const listed = expected.filter(({ sequence }) => start === null || sequence >= start);
      const shown = (isDescending ? listed.toReversed() : listed).slice(offset, offset + limit);
      const request: BackgroundTaskPageRequest = { statuses, limit, offset, start, running };
      const { count, places } = await listBackgroundTaskPlaces(test.inventory.database, request);
      expect(places).toEqual(shown.map(({ sequence, status, position }) => ({ sequence, status, position })));
      expect(count).toBe(expected.length);
    },
  );
});

describe('findBackgroundTask', () => {
  it('returns the state and position of one task of each state, as the list does', async () => {
    const { database } = test.inventory;
    const tasks = await readExpectedTasks();
    for (const status of new Set(tasks.map((task) => task.status))) {
      const ofStatus = tasks.filter((task) => task.status === status);
      // Deferred and running tasks precede the last queued task. They have no place in the queue.
      const expected = ofStatus.at(-1)!;
      const { rows } = await database.query<{ id: string }>('SELECT id FROM webhook_deliveries WHERE sequence = $1', [
        expected.sequence,
      ]);
      const found = await findBackgroundTask(database, rows[0]?.id ?? '', running);
      expect(found).toMatchObject({ sequence: expected.sequence, status, position: expected.position });
    }
  });
});

describe('countBackgroundTasks', () => {
  it('returns the numbers of tasks and the oldest creation times that the rows have', async () => {
    const tasks = await readExpectedTasks();
    const counts = await countBackgroundTasks(test.inventory.database, running);
    const statuses = [...new Set(tasks.map(({ status }) => status))];
    const expected = statuses.map((status) => {
      const some = tasks.filter((task) => task.status === status);
      const oldest = status === 'finished' ? null : new Date(Math.min(...some.map(({ created }) => created.getTime())));
      return { status, count: some.length, oldest };
    });
    const byStatus = (one: { status: string }, other: { status: string }): number =>
      one.status.localeCompare(other.status);
    expect(counts.toSorted(byStatus)).toEqual(expected.toSorted(byStatus));
    expect(statuses.toSorted()).toEqual([
      'deferred',
      'failed',
      'finished',
      'queued',
      'scheduled',
      'started',
      'stopped',
    ]);
  });
});

describe('statements about queued deliveries with an action object', () => {
  beforeAll(async () => {
    const { database } = test.inventory;
    await database.query('DELETE FROM webhook_deliveries WHERE action_object_id IS NULL');
    await database.query('VACUUM (ANALYZE) webhook_deliveries');
  });

  it('read queued deliveries from indexes alone, and sort only the page: listBackgroundTaskPlaces', async () => {
    const page = { statuses: ['queued', 'deferred'], limit: 5, offset: 0, start: null, running } as const;
    const nodes = await observePlans((tx) => listBackgroundTaskPlaces(tx, page));
    const read = nodes.filter((node) => node['Relation Name'] === 'webhook_deliveries' && node['Actual Loops'] > 0);
    expect(read.length).toBeGreaterThan(0);
    expect(read.map((node) => node['Node Type']).filter((type) => type !== 'Index Only Scan')).toEqual([]);
    const sorts = nodes.filter((node) => node['Node Type'].includes('Sort') && node['Actual Loops'] > 0);
    expect(sorts.filter((node) => node['Actual Rows'] > 5)).toEqual([]);
  });

  it('read queued deliveries from indexes alone: countBackgroundTasks', async () => {
    const nodes = await observePlans((tx) => countBackgroundTasks(tx, running));
    const read = nodes.filter((node) => node['Relation Name'] === 'webhook_deliveries' && node['Actual Loops'] > 0);
    // Only the states of failed deliveries depend on a column that is in no index.
    const fromRows = read.filter((node) => node['Node Type'] !== 'Index Only Scan');
    const failed = (await readExpectedTasks()).filter(
      ({ status }) => status === 'failed' || status === 'stopped',
    ).length;
    expect(fromRows.map((node) => node['Actual Rows'])).toEqual([failed]);
  });
});
