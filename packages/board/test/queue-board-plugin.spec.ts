import Fastify from 'fastify';
import { Jobs, withOutbox } from '@switchboard/queue';
import { reserveLocalPort, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  queueBoardPlugin,
  type QueueBoardJobPage,
  type QueueBoardPluginOptions,
  type QueueBoardQueue,
} from '../src/index.js';
import {
  asAdministrator,
  QueueBoardTestService,
  orderPlaced,
  samePage,
  sendReceipt,
} from './queue-board-test-service.js';

const board = '/admin/board/';
const api = `${board}api/queues`;
const letters = 'outbox:orders.placed';
const kind = sendReceipt.name;
const omittedPayload = 'The payloads of this page are too large. Open the job to see its payload.';

let service: QueueBoardTestService;
beforeAll(async () => {
  service = await QueueBoardTestService.start({ title: 'Orders </title><script>alert(1)</script>' });
});
afterAll(() => service.stop());

/** Paths of all kinds of responses: page, file, list, job and event log. */
const paths = [
  board,
  '/admin/board',
  `${board}queue/${kind}?status=failed`,
  `${board}static/favicon.ico`,
  `${board}event-log`,
  api,
  `${api}/${kind}/secret-job`,
  `${board}api/event-log`,
];

/** Starts a Fastify server with a board that has only a guard. Returns the response to a request for the list. */
async function requestWithGuard(guard: unknown): Promise<{ status: number; text: string; location: unknown }> {
  const server = Fastify();
  const options = { prefix: '/board', guard, jobs: service.jobs } as unknown as QueueBoardPluginOptions;
  // A response is sent only after these hooks, so that the guard of a redirect ends before its response.
  server.addHook('onSend', async () => new Promise<void>((resolve) => setImmediate(resolve)));
  await server.register(queueBoardPlugin, options);
  const { statusCode, body, headers } = await server.inject({ url: '/board/api/queues' });
  await server.close();
  return { status: statusCode, text: body, location: headers['location'] };
}

/**
 * Returns a queue of four states that has one failed job, and records the pages that the board reads and the ids of
 * retried jobs.
 */
function createRecordedQueue(): { queue: QueueBoardQueue; pages: QueueBoardJobPage[]; retried: string[] } {
  const pages: QueueBoardJobPage[] = [];
  const retried: string[] = [];
  const job = { id: '1', name: 'import', state: 'failed', data: null, result: null, error: 'no', attempts: 1 } as const;
  const times = { addedAt: new Date(0), startedAt: null, finishedAt: null, worker: null };
  const queue: QueueBoardQueue = {
    name: 'imports',
    description: 'Imported files',
    states: ['active', 'waiting', 'completed', 'failed'],
    countJobs: async () => ({ failed: 1 }),
    listJobs: async (_states, page) => {
      pages.push(page);
      return [{ ...job, ...times, isShortened: true }];
    },
    findJob: async () => null,
    retryJob: async (id) => retried.push(id),
  };
  return { queue, pages, retried };
}

describe('guard of queueBoardPlugin', () => {
  it('responds 401 without credentials and 403 to other users, for pages, files and data', async () => {
    await service.addFailedJobs('secret-job');
    for (const path of paths) {
      const rejected = await service.send('GET', path, {});
      expect([path, rejected.status, rejected.body]).toEqual([
        path,
        401,
        { statusCode: 401, error: 'Unauthorized', message: 'Log in' },
      ]);
      const forbidden = await service.send('GET', path, { authorization: 'customer' });
      expect([path, forbidden.status, forbidden.body]).toEqual([
        path,
        403,
        { statusCode: 403, code: 'BOARD_FORBIDDEN', error: 'Forbidden', message: 'The user may not use the board' },
      ]);
      expect((await service.send('GET', path)).status, path).toBe(200);
    }
    await service.jobs.removeFailed(sendReceipt, 'secret-job');
  });

  it('prevents the removal of a job without credentials or by other users', async () => {
    await service.addFailedJobs('secret-job');
    for (const headers of [samePage, { ...samePage, authorization: 'customer' }]) {
      const { status } = await service.send('PUT', `${api}/${kind}/secret-job/clean`, headers);
      expect(status).toBe('authorization' in headers ? 403 : 401);
    }
    expect(await service.jobs.findFailed(sendReceipt, 'secret-job')).not.toBeNull();
  });

  it('admits no request when it returns another value than true', async () => {
    for (const value of [undefined, null, false, 1, 'yes', {}]) {
      const { status, text } = await requestWithGuard(async () => value);
      expect([value, status, JSON.parse(text).code]).toEqual([value, 403, 'BOARD_FORBIDDEN']);
    }
    expect((await requestWithGuard(() => true)).status).toBe(200);
  });

  it('redirects to a login page when it sends the response itself', async () => {
    const redirected = await requestWithGuard(async (_request: unknown, reply: { redirect(url: string): unknown }) => {
      await reply.redirect('/login');
      return false;
    });
    expect(redirected).toEqual({ status: 302, text: '', location: '/login' });
  });

  it('must be a function when the plugin is registered', async () => {
    for (const guard of [undefined, null, true]) {
      await expect(requestWithGuard(guard)).rejects.toThrow('The board needs the option guard');
    }
  });
});

describe('registration of queueBoardPlugin', () => {
  it('fails for a prefix with parameters', async () => {
    const server = Fastify();
    server.register(queueBoardPlugin, { prefix: '/:tenant/board', guard: () => true });
    await expect(server.ready()).rejects.toThrow('The prefix of the board contains parameters: /:tenant/board');
  });
});

describe('page of queueBoardPlugin', () => {
  it('loads only files of the service, and contains no inline script', async () => {
    const { status, text, headers } = await service.send('GET', board);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(text).toContain('<base href="/admin/board/" />');
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)/g)];
    const inline = scripts.filter(([, attributes = '']) => !/ src="static\//.test(attributes));
    expect(inline.map(([, attributes]) => attributes)).toEqual([' id="__UI_CONFIG__" type="application/json"']);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.filter((file) => /^(https?:)?\/\//.test(file))).toEqual([]);
    for (const file of files.filter((name) => name.startsWith('static/'))) {
      expect([file, (await service.send('GET', board + file)).status]).toEqual([file, 200]);
    }
  });

  it('has no files outside the folder of Bull Board: other paths respond 404', async () => {
    for (const file of ['static/none.js', 'static/../index.ejs', 'static/%2e%2e/index.ejs', 'static/js', 'other']) {
      expect([file, (await service.send('GET', board + file)).status]).toEqual([file, 404]);
    }
  });

  it('escapes the title', async () => {
    const { text } = await service.send('GET', board);
    expect(text).toContain('<title>Orders &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>');
    expect(text).toContain(String.raw`"boardTitle":"Orders \u003c/title>`);
    expect(text).not.toContain('<script>alert');
    expect((await service.send('GET', `${board}event-log`)).text).not.toContain('<script>');
  });

  it('names the path of the board as browsers see it', async () => {
    const server = Fastify();
    const options = { guard: () => true, publicPath: '/internal/orders' };
    await server.register(queueBoardPlugin, { prefix: '/board', ...options });
    expect((await server.inject('/board')).body).toContain('<base href="/internal/orders/" />');
    await server.close();
  });
});

describe('API of queueBoardPlugin', () => {
  it('shows a kind of job as a queue', async () => {
    expect(await service.findQueue(kind)).toMatchObject({
      description: 'Jobs',
      hasWorkers: true,
      isPaused: false,
      allowCompletedRetries: false,
    });
  });

  it('shows payload, error and stack trace of a failed job', async () => {
    await service.addFailedJobs('a/b %41');
    const { body } = await service.send('GET', `${api}/${kind}/${encodeURIComponent('a/b %41')}`);
    expect(body).toMatchObject({
      status: 'failed',
      job: { id: 'a/b %41', data: { orderId: 1, note: 'fail' }, failedReason: 'FinalJobError: the printer is broken' },
    });
    expect(body.job.stacktrace[0]).toMatch(/FinalJobError: the printer is broken\n +at /);
    await service.jobs.removeFailed(sendReceipt, 'a/b %41');
  });

  it('lists the worker processes of a kind of job', async () => {
    const { body } = await service.send('GET', `${api}/${kind}/workers`);
    expect(body.workers).toMatchObject([{ name: expect.stringMatching(` ${process.pid}$`) }]);
  });

  it('retries one failed job', async () => {
    await service.addFailedJobs('again');
    expect((await service.change(`${kind}/again/retry`)).status).toBe(204);
    await waitFor(async () => (await service.jobs.findFailed(sendReceipt, 'again')) !== null);
    await service.jobs.removeFailed(sendReceipt, 'again');
  });

  it('removes one failed job, and responds 404 to further requests for the job', async () => {
    await service.addFailedJobs('gone');
    expect((await service.change(`${kind}/gone/clean`)).status).toBe(204);
    expect((await service.send('GET', `${api}/${kind}/gone`)).status).toBe(404);
    expect((await service.change(`${kind}/gone/clean`)).status).toBe(404);
  });

  it('retries all failed jobs of a kind, and removes all of them', async () => {
    const { failed: before } = await service.jobs.counts(sendReceipt);
    await service.addFailedJobs('first', 'second');
    expect((await service.change(`${kind}/retry/failed`)).body).toMatchObject({ retried: before + 2, skipped: 0 });
    await waitFor(async () => (await service.jobs.counts(sendReceipt)).failed === before + 2);
    expect((await service.change(`${kind}/clean/failed`)).status).toBe(200);
    expect((await service.findQueue(kind)).counts.failed).toBe(0);
  });

  describe('for a paused kind of job', () => {
    beforeAll(async () => {
      expect((await service.change(`${kind}/pause`)).status).toBe(200);
      await service.jobs.addBulk(sendReceipt, [
        { payload: { orderId: 2, note: 'two' }, id: 'two' },
        { payload: { orderId: 3, note: 'three' }, id: 'three', priority: 5 },
      ]);
    });
    afterAll(() => service.jobs.resume(sendReceipt));

    it('lists the waiting jobs in the order of their priority, page by page', async () => {
      const { isPaused, counts, jobs } = await service.findQueue(kind, 'waiting');
      expect([isPaused, counts.waiting]).toEqual([true, 2]);
      expect(jobs.map(({ id }: { id: string }) => id)).toEqual(['two', 'three']);
      const second = await service.findQueue(kind, 'waiting', 'page=2&jobsPerPage=1');
      expect(second.jobs.map(({ id }: { id: string }) => id)).toEqual(['three']);
    });

    it('responds 404 to the removal of a waiting job', async () => {
      expect((await service.change(`${kind}/two/clean`)).status).toBe(404);
    });

    it('resumes all kinds of jobs, which then run the waiting jobs', async () => {
      expect((await service.change('resume')).status).toBe(200);
      await waitFor(() => service.completed.length === 2);
      expect((await service.findQueue(kind)).isPaused).toBe(false);
    });
  });

  const lettersPath = encodeURIComponent(letters);

  it('lists the dead letters of a type of outbox messages page by page', async () => {
    const [, , third] = await service.addDeadLetters(
      ...[11, 12, 13].map((orderId) => ({ orderId, note: '<img src=x>' })),
    );
    const queue = await service.findQueue(letters, 'failed', 'page=2&jobsPerPage=2');
    expect(queue).toMatchObject({ displayName: 'orders.placed (outbox)', counts: { failed: 3 } });
    expect(queue.jobs).toMatchObject([
      { id: third, failedReason: 'Error: the warehouse is closed', data: { orderId: 13, note: '<img src=x>' } },
    ]);
    expect((await service.change(`${lettersPath}/clean/failed`)).status).toBe(200);
  });

  it('shows one dead letter as JSON that browsers do not interpret as HTML', async () => {
    const [id] = await service.addDeadLetters({ orderId: 14, note: '<img src=x>' });
    const { headers, body } = await service.send('GET', `${api}/${lettersPath}/${id}`);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toMatchObject({ status: 'failed', job: { data: { orderId: 14 } } });
    expect((await service.change(`${lettersPath}/clean/failed`)).status).toBe(200);
  });

  it('requeues one dead letter, which is then dispatched', async () => {
    const [id] = await service.addDeadLetters({ orderId: 15, note: '' });
    service.failsToDispatch = false;
    expect((await service.change(`${lettersPath}/${id}/retry`)).status).toBe(204);
    await waitFor(() => service.dispatched.includes(15));
    service.failsToDispatch = true;
  });

  it('discards one dead letter, or all dead letters of a type', async () => {
    const [first, second] = await service.addDeadLetters(...[16, 17].map((orderId) => ({ orderId, note: '' })));
    const remaining = async () => (await service.outbox.listDeadLetters(orderPlaced.name)).map(({ id }) => String(id));
    expect((await service.change(`${lettersPath}/${first}/clean`)).status).toBe(204);
    expect(await remaining()).toEqual([second]);
    expect((await service.change(`${lettersPath}/clean/failed`)).status).toBe(200);
    expect(await remaining()).toEqual([]);
    expect((await service.findQueue(letters)).counts.failed).toBe(0);
  });

  it('responds 404 to a request for a discarded or unknown dead letter', async () => {
    const [discarded = ''] = await service.addDeadLetters({ orderId: 18, note: '' });
    expect((await service.change(`${lettersPath}/${discarded}/clean`)).status).toBe(204);
    for (const id of [discarded, 'none', '1e3', '99999999999999999999']) {
      expect([id, (await service.send('GET', `${api}/${lettersPath}/${id}`)).status]).toEqual([id, 404]);
    }
  });

  it('shows the failed job of a transaction also as a dead letter, and removes both', async () => {
    await withOutbox(service.pool, service.outbox, async (tx) =>
      service.jobs.addInTransaction(tx, sendReceipt, { orderId: 4, note: 'fail' }, { id: 'stored' }),
    );
    const name = `outbox:job:${kind}`;
    const row = await waitFor(async () => (await service.findQueue(name))?.jobs[0] as { id: string } | undefined);
    expect(row).toMatchObject({ name: `job:${kind} stored` });
    await waitFor(async () => (await service.jobs.findFailed(sendReceipt, 'stored')) !== null);
    expect((await service.change(`${kind}/stored/clean`)).status).toBe(204);
    expect(await service.findQueue(name)).toBeUndefined();
    expect(await service.jobs.find(sendReceipt, 'stored')).toBeNull();
  });

  it('omits payloads of jobs in a list beyond 4 MiB, but shows the payload of a single job', async () => {
    await service.jobs.pause(sendReceipt);
    const note = 'x'.repeat(1_500_000);
    for (const id of ['large 1', 'large 2', 'large 3'])
      await service.jobs.add(sendReceipt, { orderId: 5, note }, { id });
    const { jobs } = await service.findQueue(kind, 'waiting');
    expect(jobs.map(({ id, data }: { id: string; data: unknown }) => [id, typeof data])).toEqual([
      ['large 3', 'object'],
      ['large 2', 'object'],
      ['large 1', 'string'],
    ]);
    expect(jobs[2]).toMatchObject({ name: kind, data: omittedPayload, returnValue: null, attempts: 0 });
    const opened = await service.send('GET', `${api}/${kind}/${encodeURIComponent('large 1')}`);
    expect(opened.body.job.data).toEqual({ orderId: 5, note });
    await service.jobs.resume(sendReceipt);
    await waitFor(async () => (await service.jobs.counts(sendReceipt)).waiting === 0);
  });

  it('omits payloads of dead letters in a list beyond 4 MiB, but shows the payload of a single dead letter', async () => {
    const note = 'é'.repeat(750_000);
    const ids = await service.addDeadLetters(...[1, 2, 3].map((orderId) => ({ orderId, note })));
    const { jobs } = await service.findQueue(letters);
    expect(jobs.map(({ id, data }: { id: string; data: unknown }) => [id, typeof data])).toEqual([
      [ids[0], 'object'],
      [ids[1], 'object'],
      [ids[2], 'string'],
    ]);
    expect(jobs[2]).toMatchObject({ data: omittedPayload, failedReason: 'Error: the warehouse is closed' });
    const opened = await service.send('GET', `${api}/${encodeURIComponent(letters)}/${ids[2]}`);
    expect(opened.body.job.data).toEqual({ orderId: 3, note });
    expect((await service.change(`${encodeURIComponent(letters)}/clean/failed`)).status).toBe(200);
  });

  it('shows what showPayload returns in place of a payload', async () => {
    await service.addFailedJobs('hidden');
    const server = Fastify();
    const showPayload = (payload: unknown, queue: string): unknown => ({
      queue,
      fields: Object.keys(payload as object),
    });
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, jobs: service.jobs, showPayload });
    const { job } = (await server.inject(`/board/api/queues/${kind}/hidden`)).json<{ job: unknown }>();
    expect(job).toMatchObject({ data: { queue: kind, fields: ['orderId', 'note'] } });
    await server.close();
    await service.jobs.removeFailed(sendReceipt, 'hidden');
  });
});

describe('queueBoardPlugin', () => {
  it('responds 403 to a change that a page of another site requests', async () => {
    await service.addFailedJobs('kept');
    const path = `${api}/${kind}/kept/clean`;
    for (const headers of [
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:80' },
      { origin: 'http://localhost', 'sec-fetch-site': 'none' },
    ]) {
      const { status, body } = await service.send('PUT', path, { ...asAdministrator, ...headers });
      expect([headers, status, body.code]).toEqual([headers, 403, 'BOARD_CROSS_SITE_REQUEST']);
    }
    expect(await service.jobs.findFailed(sendReceipt, 'kept')).not.toBeNull();
    const accepted = await service.send('PUT', path, { ...asAdministrator, origin: 'http://localhost' });
    expect(accepted.status).toBe(204);
  });

  const statusOf = async (response: Promise<{ status: number }>) => (await response).status;

  it('responds 404 to an unknown queue or action, and to an action that dead letters do not have', async () => {
    for (const path of ['unknown/pause', `${kind}/obliterate`, `${kind}/empty`, `${kind}/promote`]) {
      expect([path, await statusOf(service.change(path))]).toEqual([path, 404]);
    }
    for (const action of ['pause', 'resume', 'clean/completed']) {
      const path = `${encodeURIComponent(letters)}/${action}`;
      expect([path, await statusOf(service.change(path))]).toEqual([path, 404]);
    }
  });

  it('responds 405 to a method that a path does not have', async () => {
    expect(await statusOf(service.send('POST', board, { ...asAdministrator, ...samePage }))).toBe(405);
  });

  it('responds 400 to an invalid percent-encoding in a path, and to an invalid page number', async () => {
    expect(await statusOf(service.change(`${kind}/%/retry`))).toBe(400);
    expect(await statusOf(service.send('GET', `${api}?page=none`))).toBe(400);
  });

  it('responds 200 to a list with an unknown queue name that contains a percent sign', async () => {
    expect(await statusOf(service.send('GET', `${api}?activeQueue=%25`))).toBe(200);
    expect(await statusOf(service.send('GET', `${board}api/job-schedulers?queueName=%25`))).toBe(200);
  });

  it('lists at most 1,000 dead letters on a page of any requested size, and none on a page after the last', async () => {
    await service.pool.query(
      `INSERT INTO queue.outbox (topic, realm, version, payload, attempts, error, set_aside_at)
       SELECT $1, '', 1, '{"orderId":1,"note":"many"}', 10, 'Error: closed', now() FROM generate_series(1, 1100)`,
      [orderPlaced.name],
    );
    const all = await service.findQueue(letters, 'failed', 'page=1&jobsPerPage=100000000000');
    expect([all.counts.failed, all.jobs.length]).toEqual([1100, 1000]);
    const far = `${'9'.repeat(300)}`;
    expect((await service.findQueue(letters, 'failed', `page=${far}&jobsPerPage=10`)).jobs).toEqual([]);
    expect((await service.findQueue(letters, 'failed', `page=${far}&jobsPerPage=${far}`)).jobs).toEqual([]);
    expect((await service.change(`${encodeURIComponent(letters)}/clean/failed`)).status).toBe(200);
  });

  it('returns no jobs for a page after the last page of a kind of job', async () => {
    const far = '9'.repeat(300);
    expect((await service.findQueue(kind, 'failed', `page=${far}&jobsPerPage=${far}`)).jobs).toEqual([]);
  });

  it('reads at most 1,000 jobs of all listed states together, and 4 MiB of payloads', async () => {
    const { queue, pages } = createRecordedQueue();
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, queues: [queue] });
    const list = '/board/api/queues?activeQueue=imports&page=1&jobsPerPage=5000&status=';
    for (const status of ['latest', 'failed']) expect((await server.inject(list + status)).statusCode).toBe(200);
    const maxBytes = 4 * 1024 * 1024;
    expect(pages).toEqual([
      { offset: 0, limit: 250, maxBytes },
      { offset: 0, limit: 1_000, maxBytes },
    ]);
    await server.close();
  });

  it('lists jobs without payloads when it retries all failed jobs', async () => {
    const { queue, pages, retried } = createRecordedQueue();
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, queues: [queue] });
    const url = '/board/api/queues/imports/retry/failed';
    const response = await server.inject({ method: 'PUT', url, headers: samePage });
    expect([response.statusCode, response.json()]).toEqual([200, { retried: 1, skipped: 0 }]);
    expect(retried).toEqual(['1']);
    expect(pages).toEqual([{ offset: 0, limit: 100, maxBytes: 0 }]);
    await server.close();
  });

  it('requeues one job at a time when it retries all failed jobs', async () => {
    await service.addFailedJobs('retried-1', 'retried-2', 'retried-3');
    const { failed } = await service.jobs.counts(sendReceipt);
    let running = 0;
    const numbersRunning: number[] = [];
    const requeue: Jobs['requeue'] = async (...args) => {
      running += 1;
      numbersRunning.push(running);
      const isRequeued = await service.jobs.requeue(...args);
      running -= 1;
      return isRequeued;
    };
    const jobs = new Proxy(service.jobs, {
      get: (target, name): unknown => (name === 'requeue' ? requeue : Reflect.get(target, name, target)),
    });
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, jobs });
    const url = `/board/api/queues/${kind}/retry/failed`;
    expect((await server.inject({ method: 'PUT', url, headers: samePage })).statusCode).toBe(200);
    expect(numbersRunning.length).toBeGreaterThan(2);
    expect(new Set(numbersRunning)).toEqual(new Set([1]));
    // The requeued jobs fail again.
    await waitFor(async () => (await service.jobs.counts(sendReceipt)).failed === failed);
    await server.close();
  });

  it('requeues no further job when a retry of all failed jobs fails', async () => {
    await service.addFailedJobs('unretried-1', 'unretried-2', 'unretried-3');
    let count = 0;
    const requeue: Jobs['requeue'] = async (...args) => {
      count += 1;
      if (count === 2) throw new Error('no connection');
      return service.jobs.requeue(...args);
    };
    const jobs = new Proxy(service.jobs, {
      get: (target, name): unknown => (name === 'requeue' ? requeue : Reflect.get(target, name, target)),
    });
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, jobs });
    const url = `/board/api/queues/${kind}/retry/failed`;
    expect((await server.inject({ method: 'PUT', url, headers: samePage })).statusCode).toBeGreaterThanOrEqual(500);
    // A further retry would begin in one of the next turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(count).toBe(2);
    await server.close();
  });

  it('responds 503 to a list while Redis is unavailable, and 200 to the page', async () => {
    const jobs = new Jobs({
      redis: `redis://127.0.0.1:${await reserveLocalPort()}`,
      prefix: 'none',
      definitions: [sendReceipt],
    });
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true, jobs });
    const response = await server.inject('/board/api/queues');
    expect([response.statusCode, response.json()]).toMatchObject([503, { code: 'BOARD_UNAVAILABLE' }]);
    expect((await server.inject('/board/')).statusCode).toBe(200);
    await server.close();
    await jobs.stop();
  });
});

describe('GET /event-log and GET /api/event-log', () => {
  const realms = ['<b>shop</b>', 'a&b', 'orders'];

  beforeAll(async () => {
    for (const realm of realms) {
      await withOutbox(service.pool, service.outbox, async (tx) => {
        service.eventLog.write(tx, { realm, audience: { all: true }, event: { type: 'order' }, weight: 2 });
      });
    }
    await waitFor(async () => {
      const { body } = await service.send('GET', `${board}api/event-log`);
      return body.realms.length === 3 && body.realms.every(({ lag }: { lag: number }) => lag === 0);
    });
  });

  it('return the positions of the event logs of all realms, and the number of appended events', async () => {
    const { body: list } = await service.send('GET', `${board}api/event-log`);
    expect(list.realms.toSorted((a: { realm: string }, b: { realm: string }) => (a.realm < b.realm ? -1 : 1))).toEqual(
      realms.map((realm) => ({ realm, position: 2, storedPosition: 2, lag: 0, queues: 0 })),
    );
    expect([list.next, list.metrics.appended]).toEqual([null, 3]);
  });

  it('list the realms page by page', async () => {
    const seen: string[] = [];
    let after = '';
    do {
      const { body } = await service.send('GET', `${board}api/event-log?limit=1${after}`);
      seen.push(...body.realms.map(({ realm }: { realm: string }) => realm));
      after = body.next === null ? '' : `&after=${encodeURIComponent(body.next)}`;
    } while (after !== '');
    expect(seen.toSorted()).toEqual(realms);
  });

  it('escape the names of realms on the HTML page, which contains no script', async () => {
    const { status, text, headers } = await service.send('GET', `${board}event-log`);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('<td>&lt;b&gt;shop&lt;/b&gt;</td><td class="number">2</td>');
    expect(text).not.toContain('<b>');
    expect(text).not.toContain('<script');
  });

  it.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1e9', 'after=%00', `after=${'x'.repeat(2_000)}`])(
    'respond 200 to the invalid parameter %s',
    async (query) => {
      expect((await service.send('GET', `${board}api/event-log?${query}`)).status).toBe(200);
    },
  );

  it('respond 404 when the board has no event log', async () => {
    const server = Fastify();
    await server.register(queueBoardPlugin, { prefix: '/board', guard: () => true });
    for (const path of ['/board/event-log', '/board/api/event-log']) {
      expect((await server.inject(path)).statusCode, path).toBe(404);
    }
    expect((await server.inject('/board/')).body).not.toContain('event-log');
    await server.close();
  });
});
