import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SendingInventory } from './support/inventory-with-webhooks.js';

type Cookies = Record<string, string>;

const board = '/admin/queues/';
const api = `${board}api/queues`;
const samePage = { 'sec-fetch-site': 'same-origin' };

let sending: SendingInventory;
let root: Cookies;
beforeAll(async () => {
  sending = await SendingInventory.start();
  root = await logIn('root', 'Correct horse 1 battery');
});
afterAll(() => sending.stop());

async function send(method: 'GET' | 'PUT' | 'POST', url: string, cookies: Cookies = {}, headers: object = {}) {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const all = { ...(cookie.length === 0 ? {} : { cookie: cookie.join('; ') }), ...headers };
  const {
    statusCode: status,
    headers: given,
    body: text,
  } = await sending.test.fastify.inject({
    method,
    url,
    headers: all,
  });
  const isJson = String(given['content-type']).startsWith('application/json');
  return { status, headers: given, text, body: isJson && text !== '' ? JSON.parse(text) : null };
}

/** Logs in through the login page, as a browser does. */
async function logIn(username: string, password: string): Promise<Cookies> {
  const { fastify } = sending.test;
  const page = await fastify.inject({ url: '/login/' });
  const csrftoken = page.cookies.find(({ name }) => name === 'csrftoken')?.value ?? '';
  const response = await fastify.inject({
    method: 'POST',
    url: '/login/',
    headers: { cookie: `csrftoken=${csrftoken}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, password, csrfmiddlewaretoken: csrftoken, next: board }).toString(),
  });
  expect([response.statusCode, response.headers['location']]).toEqual([302, board]);
  return Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]));
}

describe('page of queues (Bull Board)', () => {
  it('redirects to the login page, and requires a superuser session', async () => {
    for (const path of [board, '/admin/queues', `${board}queue/webhooks.deliver?status=failed`]) {
      const { status, headers } = await send('GET', path);
      expect([status, headers['location']]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`]);
    }
    expect((await send('GET', api)).status).toBe(403);
    const token = { authorization: `Bearer ${sending.test.adminToken}` };
    expect((await send('GET', api, {}, token)).status).toBe(403);
    await sending.test.api.post('/api/users/users/', { json: { username: 'plain', password: 'Twelve chars 1' } });
    const plain = await logIn('plain', 'Twelve chars 1');
    for (const path of [board, api, `${board}static/favicon.ico`]) {
      expect((await send('GET', path, plain)).body).toEqual({
        detail: 'You do not have permission to perform this action.',
      });
    }
  });

  it('loads only files from the host of the service', async () => {
    const { status, text, headers } = await send('GET', board, root);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(text).toContain('<base href="/admin/queues/" />');
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.filter((file) => /^(https?:)?\/\//.test(file))).toEqual([]);
    for (const file of files.filter((name) => name.startsWith('static/'))) {
      expect([file, (await send('GET', board + file, root)).status]).toEqual([file, 200]);
    }
    for (const file of ['static/none.js', 'static/../index.ejs', 'static/%2e%2e/index.ejs', 'static/js']) {
      expect([file, (await send('GET', board + file, root)).status]).toEqual([file, 404]);
    }
    expect((await send('GET', `${board}queue/webhooks.deliver`, root)).text).toBe(text);
  });

  it('shows deliveries with their errors, and retries a failed delivery', async () => {
    const { id } = await sending.addFailed();
    const query = '?activeQueue=webhooks.deliver&status=failed&page=1&jobsPerPage=10';
    const { status, body } = await send('GET', api + query, root);
    expect([status, body.queues]).toMatchObject([
      200,
      [{ name: 'webhooks.deliver', counts: { failed: 1, waiting: 0 }, hasWorkers: true, jobs: [{ id, attempts: 2 }] }],
    ]);
    const job = `${api}/webhooks.deliver/${id}`;
    expect((await send('GET', job, root)).body).toMatchObject({
      status: 'failed',
      job: { failedReason: "Status 500 returned with content 'no', webhook FAILED to process." },
    });
    sending.receiver.requests.length = 0;
    expect((await send('PUT', `${job}/retry`, root, samePage)).status).toBe(204);
    const site = Number((await send('GET', job, root)).body.job.data.data.id);
    await sending.tasksOf(site, 'finished');
    expect(sending.receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    expect((await send('PUT', `${job}/clean`, root, { origin: 'http://localhost' })).status).toBe(204);
    expect((await send('GET', job, root)).status).toBe(404);
    const workers = await send('GET', `${api}/webhooks.deliver/workers`, root);
    expect(workers.body.workers).toHaveLength(1);
  });

  it('retries all failed deliveries by one request', async () => {
    const failed = [await sending.addFailed(), await sending.addFailed()];
    const response = await send('PUT', `${api}/webhooks.deliver/retry/failed`, root, samePage);
    expect(response.body).toEqual({ retried: 2, skipped: 0 });
    for (const { kwargs } of failed) await sending.tasksOf(Number(kwargs['object_id']), 'finished');
  });

  it('rejects cross-site requests, and has no paths for unsupported actions', async () => {
    const { id, kwargs } = await sending.addFailed();
    const retry = `${api}/webhooks.deliver/${id}/retry`;
    for (const headers of [
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost' },
    ]) {
      const { status, body } = await send('PUT', retry, root, headers);
      expect([status, body.detail]).toEqual([403, 'CSRF Failed: The request does not come from the page itself.']);
    }
    expect((await send('PUT', retry, {}, samePage)).status).toBe(403);
    await sending.tasksOf(Number(kwargs['object_id']), 'failed');
    for (const path of ['pause', 'obliterate', 'empty', 'promote', 'clean/failed']) {
      expect([path, (await send('PUT', `${api}/webhooks.deliver/${path}`, root, samePage)).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await send('POST', `${api}/webhooks.deliver/add`, root, samePage)).status).toBe(404);
    expect((await send('POST', board, root, samePage)).status).toBe(405);
    expect((await send('GET', `${api}/webhooks.deliver/none`, root)).status).toBe(404);
  });
});
