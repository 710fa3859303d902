import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueTx } from '@switchboard/queue';
import { TaskBoardQueue } from '../src/modules/queue-board/task-board-queue.js';
import { WebhookDeliveryTasks } from '../src/webhooks/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface Page {
  readonly count: number | null;
  readonly next: string | null;
  readonly results: { readonly id: string; readonly kwargs: Record<string, string> }[];
}

const tasks = '/api/core/background-tasks/';
const inMemoryBytes = 40_000;

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory({
    MAX_PAGE_SIZE: '0',
    RESPONSE_IN_MEMORY_BYTES: String(inMemoryBytes),
    RESPONSE_MAX_BYTES: '1500000',
  });
  // Every tenth payload is larger than the responses that are built in memory.
  await test.inventory.database.query(`
    INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id)
    SELECT 'updated', 'dcim.site', n, json_build_object('comments',
             repeat('x', CASE WHEN n % 10 = 0 THEN 50000 ELSE n % 7 * 2000 END)), 1
      FROM generate_series(1, 100) n`);
});
afterAll(() => test.close());

const payloadLength = (id: number): number => (id % 10 === 0 ? 50_000 : (id % 7) * 2000);
const storedBytes = () => test.inventory.responses.storedBytes;

/** Returns a database that records the total length of the payloads in the result of each statement. */
function recordPayloadBytes(lengths: number[]): QueueTx {
  return {
    query: async <R>(text: string, values: unknown[] = []) => {
      const result = await test.inventory.database.query<R>(text, values);
      const payloads = (result.rows as { payload?: { comments: string } | null }[]).flatMap(
        ({ payload }) => payload ?? [],
      );
      lengths.push(
        ...(payloads.length === 0 ? [] : [payloads.reduce((sum, { comments }) => sum + comments.length, 0)]),
      );
      return result;
    },
  };
}

describe('GET /api/core/background-tasks/', () => {
  it('returns all tasks from a temporary file when their payloads do not fit into memory', async () => {
    const spy = vi.spyOn(test.inventory.responses, 'openFile');
    const { body } = await test.api.get<Page>(`${tasks}?limit=0`);
    expect(spy).toHaveBeenCalledTimes(1);
    spy.mockRestore();
    expect(body.results.map(({ kwargs }) => [kwargs['object_id'], kwargs['comments']?.length])).toEqual(
      Array.from({ length: 100 }, (_, index) => [String(index + 1), payloadLength(index + 1)]),
    );
    expect([body.count, body.next]).toEqual([100, null]);
    await expect.poll(storedBytes).toBe(0);
  });

  it('has page links in small pages and in pages from a temporary file', async () => {
    const small = await test.api.get<Page>(`${tasks}?limit=3`);
    const large = await test.api.get<Page>(`${tasks}?limit=60&offset=3`);
    expect([small.body.results.length, small.body.next]).toEqual([3, `http://localhost${tasks}?limit=3&offset=3`]);
    expect([large.body.results.length, large.body.next]).toEqual([60, `http://localhost${tasks}?limit=60&offset=63`]);
    await expect.poll(storedBytes).toBe(0);
  });

  it('responds to HEAD without a length when the page does not fit into memory', async () => {
    const headers = { authorization: `Bearer ${test.adminToken}` };
    const {
      statusCode,
      headers: sent,
      body,
    } = await test.fastify.inject({ method: 'HEAD', url: `${tasks}?limit=0`, headers });
    expect([statusCode, sent['content-type'], sent['content-length'], body]).toEqual([
      200,
      'application/json; charset=utf-8',
      undefined,
      '',
    ]);
  });

  it('responds 400 with advice to request pages when the page is larger than RESPONSE_MAX_BYTES', async () => {
    await test.inventory.database.query(`
      INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, status, next_attempt_at)
      SELECT 'updated', 'dcim.rack', n, json_build_object('comments', repeat('x', 400000)), 1, 'failed', NULL
        FROM generate_series(1, 5) n`);
    const { status, body } = await test.api.get<{ detail: string }>(`${tasks}?status=failed`);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/larger than 1500000 bytes.*`limit`/s)]);
    expect((await test.api.get<Page>(`${tasks}?status=failed&limit=2`)).body.results).toHaveLength(2);
    await expect.poll(storedBytes).toBe(0);
  });
});

describe('WebhookDeliveryTasks', () => {
  it('reads payloads of a limited total size in each statement', async () => {
    const lengths: number[] = [];
    const deliveries = new WebhookDeliveryTasks(
      recordPayloadBytes(lengths),
      test.inventory.deliveryJobs,
      inMemoryBytes,
    );
    const list = await deliveries.listDeliveryTasks({ statuses: ['queued'], limit: 100, offset: 0, start: null });
    const objects: number[] = [];
    for await (const part of list.readParts()) objects.push(...part.map(({ objectId }) => objectId));
    expect(objects).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(Math.max(...lengths.filter((length) => length !== 50_000))).toBeLessThanOrEqual(inMemoryBytes);
    expect(lengths.length).toBeGreaterThan(20);
  });

  it('omits tasks that are deleted while the list is read', async () => {
    const { database, deliveryJobs } = test.inventory;
    await database.query(`
      INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, waiting_for, attempts, next_attempt_at)
      SELECT 'updated', 'dcim.device', n, json_build_object('comments', repeat('x', 30000)), 1, 'retry', 1, now() + interval '1 hour'
        FROM generate_series(1, 6) n`);
    const deliveries = new WebhookDeliveryTasks(database, deliveryJobs, inMemoryBytes);
    const list = await deliveries.listDeliveryTasks({ statuses: ['scheduled'], limit: 10, offset: 0, start: null });
    const objects: number[] = [];
    for await (const part of list.readParts()) {
      objects.push(...part.map(({ objectId }) => objectId));
      await database.query(
        `DELETE FROM webhook_deliveries WHERE object_type = 'dcim.device' AND object_id IN (2, 3, 6)`,
      );
    }
    expect(objects).toEqual([1, 4, 5]);
  });
});

describe('TaskBoardQueue', () => {
  it('omits payloads of a page beyond RESPONSE_IN_MEMORY_BYTES, and includes the payload of a single job', async () => {
    const lengths: number[] = [];
    const { deliveryJobs } = test.inventory;
    const queue = new TaskBoardQueue(
      new WebhookDeliveryTasks(recordPayloadBytes(lengths), deliveryJobs, inMemoryBytes),
    );
    const jobs = await queue.listJobs(['waiting'], { offset: 0, limit: 100 });
    expect(jobs).toHaveLength(100);
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeLessThanOrEqual(inMemoryBytes);
    expect(jobs.at(-1)?.data).toMatchObject({ payload: expect.stringContaining('too large') });
    const last = await queue.findJob(jobs.at(-1)?.id ?? '');
    expect(last?.data).toMatchObject({ comments: 'x'.repeat(50_000) });
  });
});
