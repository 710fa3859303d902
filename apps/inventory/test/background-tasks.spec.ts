import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory } from './support/test-service.js';
import { SendingInventory, type Task } from './support/inventory-with-webhooks.js';

const queues = '/api/core/background-queues/';
const workers = '/api/core/background-workers/';
const tasks = '/api/core/background-tasks/';
const unknownId = '00000000-0000-4000-8000-000000000000';
const denied = { detail: 'You do not have permission to perform this action.' };

interface List<T = Record<string, unknown>> {
  readonly count: number | null;
  readonly next: string | null;
  readonly results: T[];
}

let sending: SendingInventory;
beforeAll(async () => {
  sending = await SendingInventory.start();
});
afterAll(() => sending.stop());

const list = async (query: Record<string, string | number | string[]> = {}): Promise<List<Task>> =>
  (await sending.test.api.get<List<Task>>(tasks, { query })).body;
const find = async (id: string): Promise<Task> => (await sending.test.api.get<Task>(`${tasks}${id}/`)).body;
const act = async (id: string, action: string): Promise<[number, string]> => {
  const { status, text } = await sending.test.api.post(`${tasks}${id}/${action}/`);
  return [status, text];
};

describe('background tasks of webhook deliveries', () => {
  it('appear in the log with the id and trace of the request that caused the delivery', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const site = await sending.addSite(sending.test.api.withHeaders({ traceparent }));
    const [task] = await sending.tasksOf(site, 'finished');
    // The line is logged after the commit that finishes the task.
    const delivered = (): Record<string, unknown>[] =>
      sending.log
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg, deliveryId }) => msg === 'webhook delivered' && deliveryId === task?.id);
    const requestId = JSON.parse(task?.kwargs['request'] ?? '{}') as { id?: string };
    await expect
      .poll(delivered)
      .toMatchObject([{ traceparent, requestId: requestId.id ?? expect.any(String), jobId: task?.id }]);
  });

  it('contain the error of a failed delivery, and send the delivery again under its id when requeued', async () => {
    const { id } = await sending.addFailed();
    const failed = await list({ status: 'failed' });
    expect(failed).toMatchObject({ count: 1, next: null, results: [{ id, status: 'failed', is_failed: true }] });
    expect((await list()).results).toEqual([]);
    const error = "Status 500 returned with content 'no', webhook FAILED to process.";
    expect(await find(id)).toEqual({
      ...failed.results[0],
      url: `http://localhost${tasks}${id}/`,
      description: expect.stringMatching(/^webhooks\.deliver: created of dcim\.site \d+ to webhook \d+$/),
      origin: 'default',
      func_name: 'webhooks.deliver',
      args: [],
      result: error,
      timeout: 45,
      position: null,
      worker_name: null,
      meta: expect.objectContaining({ attempts: 2, response_status: 500, error, next_attempt_at: null }),
      is_queued: false,
      is_finished: false,
    });
    const { kwargs } = await find(id);
    expect(kwargs).toMatchObject({ event_rule: 'sites', object_type: 'dcim.site', username: 'root' });
    expect(JSON.parse(kwargs['data'] ?? '')).toMatchObject({ id: Number(kwargs['object_id']) });

    sending.receiver.requests.length = 0;
    expect(await act(id, 'requeue')).toEqual([200, '']);
    const [task] = await sending.tasksOf(Number(kwargs['object_id']), 'finished');
    expect(task).toMatchObject({ id, is_finished: true, is_failed: false });
    expect(task?.['result']).toBe('Status 200 returned, webhook successfully processed.');
    expect(sending.receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    expect(await act(id, 'requeue')).toEqual([200, '']);
    expect((await find(id)).status).toBe('finished');
  });

  it('have the state scheduled between two attempts, and send the delivery immediately when enqueued', async () => {
    sending.receiver.response = () => ({ status: 503 });
    const site = await sending.addSite();
    const [task] = await sending.tasksOf(site, 'scheduled');
    expect(task).toMatchObject({ is_scheduled: true, ended_at: null, meta: { attempts: 1 } });
    sending.receiver.response = () => ({ status: 200 });
    expect(await act(task!.id, 'enqueue')).toEqual([200, '']);
    await sending.tasksOf(site, 'finished');
  });

  it('name the worker of a running delivery, and send the next delivery for the object after a stop', async () => {
    sending.receiver.response = (_, count) => (count === 1 ? 'hang' : { status: 200 });
    sending.receiver.requests.length = 0;
    const site = await sending.addSite();
    await sending.tasksOf(site, 'started');
    await sending.test.api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'F' } });
    const [started, deferred] = await sending.tasksOf(site, 'started', 'deferred');
    const { body } = await sending.test.api.get<List>(workers);
    expect(body.results.map(({ name }) => name)).toEqual([started?.worker_name]);
    expect(started).toMatchObject({ is_started: true, last_heartbeat: expect.stringMatching(/^\d{4}-/) });
    expect(await act(deferred!.id, 'stop')).toEqual([204, '']);
    expect(await act(started!.id, 'stop')).toEqual([200, '']);
    expect(await act(started!.id, 'stop')).toEqual([204, '']);
    const [stopped] = await sending.tasksOf(site, 'stopped', 'finished');
    expect(stopped).toMatchObject({ is_stopped: true, meta: { error: 'Stopped by an operator.' } });
    expect(await act(stopped!.id, 'requeue')).toEqual([200, '']);
    await sending.tasksOf(site, 'finished', 'finished');
  });

  it('show a delivery in the API process as started without a worker, and stop the delivery', async () => {
    sending.receiver.response = () => ({ status: 200 });
    const site = await sending.addSite();
    await sending.tasksOf(site, 'finished');
    sending.receiver.response = () => 'hang';
    await sending.test.api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'F' } });
    const { results } = await list({ status: 'started' });
    expect(results).toMatchObject([{ is_started: true, worker_name: null, kwargs: { object_id: String(site) } }]);
    const id = results[0]?.id ?? '';
    expect(await act(id, 'stop')).toEqual([200, '']);
    expect(await act(id, 'stop')).toEqual([204, '']);
    expect(await find(id)).toMatchObject({ status: 'stopped', meta: { error: 'Stopped by an operator.' } });
    sending.receiver.response = () => ({ status: 200 });
    expect(await act(id, 'requeue')).toEqual([200, '']);
    await sending.tasksOf(site, 'finished', 'finished');
  });

  it('stop blocking later deliveries when deleted', async () => {
    sending.receiver.response = (_, count) => (count === 1 ? 'hang' : { status: 200 });
    sending.receiver.requests.length = 0;
    const site = await sending.addSite();
    await sending.tasksOf(site, 'started');
    await sending.test.api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'F' } });
    const [first] = await sending.tasksOf(site, 'started', 'deferred');
    expect(await act(first!.id, 'delete')).toEqual([200, '']);
    expect((await sending.test.api.get(`${tasks}${first!.id}/`)).status).toBe(404);
    await sending.tasksOf(site, 'finished');
  });

  it('appear in pages, and finished tasks with the newest first', async () => {
    const finished = await list({ status: 'finished' });
    expect(finished.count).toBeGreaterThanOrEqual(3);
    const ids = finished.results.map(({ id }) => id);
    const made = finished.results.map((task) => String(task['created_at']));
    expect(made).toEqual(made.toSorted().toReversed());
    const first = await list({ status: 'finished', limit: 2 });
    expect([first.count, first.results.map(({ id }) => id)]).toEqual([finished.count, ids.slice(0, 2)]);
    expect(first.next).toBe(`http://localhost${tasks}?limit=2&offset=2&status=finished`);
    const byId = await list({ status: 'finished', limit: 2, start: 0 });
    expect([byId.count, byId.results.map(({ id }) => id)]).toEqual([null, ids.toReversed().slice(0, 2)]);
    const { status, body } = await sending.test.api.get(tasks, { query: { status: 'done' } });
    const message = 'Select a valid choice. done is not one of the available choices.';
    expect([status, body]).toEqual([400, { status: [message] }]);
    expect((await list({ status: 'canceled' })).results).toEqual([]);
  });

  it('count in the number of tasks by queue and state', async () => {
    await sending.addFailed();
    const { body } = await sending.test.api.get<List>(queues);
    expect(body.results.map(({ name }) => name)).toEqual(['high', 'default', 'low']);
    const [high, used] = body.results;
    expect(used).toMatchObject({ url: `http://localhost${queues}default/`, index: 1, workers: 1, jobs: 0 });
    expect(used).toMatchObject({ failed_jobs: 1, scheduled_jobs: 0, deferred_jobs: 0, started_jobs: 0 });
    expect(used?.['finished_jobs']).toBe((await list({ status: 'finished' })).count);
    expect(high).toMatchObject({ jobs: 0, failed_jobs: 0, finished_jobs: 0, oldest_job_timestamp: null });
    expect((await sending.test.api.get(`${queues}default/`)).body).toEqual(used);
    const one = await sending.test.api.get<List>(queues, { query: { limit: 1, offset: 1 } });
    expect(one.body).toMatchObject({ count: 3, results: [{ name: 'default' }] });
  });
});

describe('GET /api/core/background-workers/', () => {
  it('lists the processes that send deliveries, and returns a single process by name', async () => {
    const { body } = await sending.test.api.get<List>(workers);
    const [worker] = body.results;
    expect(body).toMatchObject({ count: 1, next: null });
    expect(worker).toMatchObject({ pid: String(process.pid), queue_names: ['high', 'default', 'low'] });
    expect((await sending.test.api.get<object>(`${workers}${worker?.['name']}/`)).body).toMatchObject({
      name: worker?.['name'],
      birth_date: worker?.['birth_date'],
    });
    const status = await sending.test.api.get<Record<string, unknown>>('/api/status/');
    expect(status.body['rq-workers-running']).toBe(1);
  });
});

describe('endpoints of background queues, workers and tasks', () => {
  const paths = [queues, `${queues}default/`, workers, `${workers}any/`, tasks, `${tasks}${unknownId}/`];
  const actions = ['delete', 'requeue', 'enqueue', 'stop'].map((action) => `${tasks}${unknownId}/${action}/`);

  it('respond 403 to non-superusers, and to writes with a read-only token', async () => {
    const { test } = sending;
    await test.asPlainUser(async (plain) => {
      for (const path of paths) {
        expect([path, (await plain.get(path)).body]).toEqual([path, denied]);
        expect((await plain.sendOptionsRequest(path)).status).toBe(403);
        expect((await test.stranger.get(path)).status).toBe(403);
      }
      for (const path of actions) expect([path, (await plain.post(path)).body]).toEqual([path, denied]);
    });
    const reader = await test.clientOf(test.adminId);
    await test.inventory.database.query(
      'UPDATE users_token SET write_enabled = false WHERE id = (SELECT max(id) FROM users_token)',
    );
    expect((await reader.get(tasks)).status).toBe(200);
    for (const path of actions) expect([path, (await reader.post(path)).body]).toEqual([path, denied]);
  });

  it('respond 404 for unknown ids, and 405 to other methods', async () => {
    const { api } = sending.test;
    for (const path of [`${queues}none/`, `${workers}none/`, `${tasks}${unknownId}/`, `${tasks}none/`, ...actions]) {
      const { status, body } = actions.includes(path) ? await api.post(path) : await api.get(path);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Not found.' }]);
    }
    expect((await api.post(`${tasks}${unknownId}/other/`, { unchecked: true })).status).toBe(404);
    for (const path of paths) {
      const { status, headers } = await api.post(path, { unchecked: true });
      expect([path, status, headers['allow']]).toEqual([path, 405, 'GET, HEAD, OPTIONS']);
      expect((await api.sendOptionsRequest(path)).status).toBe(200);
    }
    for (const path of actions) {
      const { status, headers } = await api.get(path, { unchecked: true });
      expect([path, status, headers['allow']]).toEqual([path, 405, 'OPTIONS, POST']);
    }
  });

  it('appear as links in the response to GET /api/core/', async () => {
    const { body } = await sending.test.api.get<object>('/api/core/');
    expect(body).toMatchObject({ 'background-tasks': `http://localhost${tasks}` });
  });

  it('respond 503 without Redis, and change nothing', async () => {
    const away = await startInventory({ REDIS_URL: 'redis://127.0.0.1:1' });
    for (const path of [...paths, ...actions]) {
      const { status, body } = actions.includes(path) ? await away.api.post(path) : await away.api.get(path);
      expect([path, status, body]).toEqual([path, 503, { detail: 'The background queues cannot be reached.' }]);
    }
    expect((await away.api.get<Record<string, unknown>>('/api/status/')).body['rq-workers-running']).toBe(0);
    await away.close();
  });
});
