import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createBasicAuthorization,
  chatCluster,
  type ChatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { registerTestEventQueue, send } from './event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let url: string;
let iago: DemoUser;
let hamlet: DemoUser;
let users: DemoUser[];
/** Database connection of the test, outside the service's connection pool, which locks tables. */
let other: pg.Client;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  users = await Promise.all(['iago', 'hamlet', 'cordelia', 'othello', 'desdemona'].map((name) => signIn(chat, name)));
  [iago, hamlet] = users as [DemoUser, DemoUser];
  await chat.app.listen(0, '127.0.0.1');
  url = await chat.app.getUrl();
  other = new pg.Client(cluster.database.url);
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await cluster.stop();
});

/**
 * Runs `work` while another database session locks a table, so that every statement of the service on the table waits.
 */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    await work();
  } finally {
    await other.query('ROLLBACK');
  }
}

const figuresOf = (kind: 'short' | 'heavy') => chat.runtime.database.poolCounts.classes[kind];

const searchPath = (word: string) =>
  `/api/v1/messages?${new URLSearchParams({
    narrow: JSON.stringify([{ operator: 'search', operand: word }]),
    anchor: 'newest',
    num_before: '10',
    num_after: '0',
  }).toString()}`;

const search = (user: DemoUser, word: string) => user.client.get(searchPath(word));

describe('requests that share the database connections', () => {
  it('return success for 200 concurrent registrations and for messages of another user', async () => {
    const registrations = Array.from({ length: 200 }, (_, n) => {
      const { client } = users[n % 4] as DemoUser;
      return client.post('/api/v1/register', { form: { event_types: '["message", "realm_user", "subscription"]' } });
    });
    const bystander = users[4] as DemoUser;
    for (let n = 0; n < 5; n += 1) await send(bystander, { topic: 'bystander' });
    const responses = await Promise.all(registrations);
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    await expect.poll(() => figuresOf('heavy')).toEqual({ inUse: 0, waiting: 0, expired: 0 });
  });

  it('get 503 with Retry-After for registrations above REGISTRATION_CAP', async () => {
    const small = await cluster.start({ REGISTRATION_CAP: '2' });
    const { client } = await signIn(small, 'iago');
    const register = () => client.post('/api/v1/register', { form: { fetch_event_types: '["drafts"]' } });
    await whileLocked('drafts', async () => {
      const registrations = Array.from({ length: 3 }, register);
      const refused = await Promise.race(registrations);
      const code = 'SERVICE_UNAVAILABLE';
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: { result: 'error', code } });
      await other.query('ROLLBACK');
      const statuses = (await Promise.all(registrations)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 200, 503]);
    });
    expect((await register()).status).toBe(200);
  });

  it('return success for other users while one member runs 30 searches', async () => {
    let searches: Promise<{ status: number }>[] = [];
    await whileLocked('messages', async () => {
      searches = Array.from({ length: 30 }, (_, n) => search(iago, `word${n}`));
      await expect.poll(() => figuresOf('heavy'), { timeout: 10_000 }).toMatchObject({ inUse: 2, waiting: 28 });
      expect((await hamlet.client.get('/api/v1/drafts')).status).toBe(200);
      expect((await iago.client.get('/api/v1/drafts')).status).toBe(200);
    });
    expect((await Promise.all(searches)).filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('return success for other users while one member runs slow reads, even of endpoints not declared as heavy', async () => {
    let reads: Promise<{ status: number }>[] = [];
    await whileLocked('saved_snippets', async () => {
      reads = Array.from({ length: 30 }, () => iago.client.get('/api/v1/saved_snippets'));
      await expect.poll(() => figuresOf('heavy').inUse, { timeout: 10_000 }).toBeGreaterThan(8);
      expect((await hamlet.client.get('/api/v1/drafts')).status).toBe(200);
      expect((await signIn(chat, 'cordelia')).id).toBeGreaterThan(0);
    });
    expect((await Promise.all(reads)).filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('stop waiting for a connection when the client of a search disconnects', async () => {
    await whileLocked('messages', async () => {
      const leaving = new AbortController();
      const headers = createBasicAuthorization(iago.email, iago.apiKey);
      const searches = Array.from({ length: 8 }, (_, n) =>
        fetch(`${url}${searchPath(`left${n}`)}`, { headers, signal: leaving.signal }),
      );
      await expect.poll(() => figuresOf('heavy').waiting, { timeout: 10_000 }).toBe(6);
      leaving.abort();
      await Promise.allSettled(searches);
      await expect.poll(() => figuresOf('heavy'), { timeout: 10_000 }).toMatchObject({ inUse: 0, waiting: 0 });
    });
  });

  it('receive 503 with Retry-After when a search waits too long for a connection', async () => {
    const impatient = await cluster.start({ DATABASE_HEAVY_WAIT_MS: '50' });
    const fastify = impatient.app.getHttpAdapter().getInstance();
    const headers = createBasicAuthorization(iago.email, iago.apiKey);
    await whileLocked('messages', async () => {
      const searches = Array.from({ length: 3 }, (_, n) => fastify.inject({ url: searchPath(`late${n}`), headers }));
      const response = await Promise.race(searches);
      expect([response.statusCode, response.json().code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(response.headers['retry-after']).toBe('5');
      await other.query('ROLLBACK');
      await Promise.all(searches);
    });
    const { text } = await impatient.metrics.render();
    expect(text).toContain('db_expired_waits_total{pool="chat",class="heavy"} 1\n');
    expect(text).toContain('db_work{pool="chat",class="heavy",state="waiting"} 0\n');
  });
});

/** Returns the number of database lookups of credentials that the service runs during `work`. */
async function countLookups(work: () => Promise<void>): Promise<number> {
  const spy = vi.spyOn(chat.runtime.database.pool, 'query');
  await work();
  const texts = spy.mock.calls.map(([statement]: unknown[]) => JSON.stringify(statement));
  spy.mockRestore();
  return texts.filter((text) => /api_key_digest|user_activity|token_digest/.test(text)).length;
}

describe('GET /events', () => {
  it('looks up the credentials of concurrent polls in few statements', async () => {
    const queueId = await registerTestEventQueue(hamlet);
    const fastify = chat.app.getHttpAdapter().getInstance();
    const poll = (headers: Record<string, string>) =>
      fastify.inject({ url: `/api/v1/events?queue_id=${queueId}&last_event_id=-1&dont_block=true`, headers });
    const lookups = await countLookups(async () => {
      // Each host has a separate key in the credential cache.
      const good = Array.from({ length: 100 }, (_, n) =>
        poll({ ...createBasicAuthorization(hamlet.email, hamlet.apiKey), host: `h${n}.example` }),
      );
      const bad = Array.from({ length: 100 }, (_, n) =>
        poll(createBasicAuthorization(hamlet.email, `${n}`.padStart(32, 'x'))),
      );
      const responses = await Promise.all([...good, ...bad]);
      const statuses = responses.map(({ statusCode }) => statusCode);
      expect([new Set(statuses.slice(0, 100)), new Set(statuses.slice(100))]).toEqual([new Set([200]), new Set([401])]);
    });
    expect(lookups).toBeLessThan(30);
  });

  it('checks the sessions of concurrent polls in few statements', async () => {
    const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { form: { username: hamlet.email } });
    const cookie = [headers['set-cookie'] ?? []]
      .flat()
      .map((line) => String(line).split(';', 1)[0])
      .join('; ');
    const queueId = await registerTestEventQueue(hamlet);
    const path = `/json/events?queue_id=${queueId}&last_event_id=-1&dont_block=true`;
    const fastify = chat.app.getHttpAdapter().getInstance();
    const lookups = await countLookups(async () => {
      const polls = Array.from({ length: 50 }, () => fastify.inject({ url: path, headers: { cookie } }));
      expect(new Set((await Promise.all(polls)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    });
    expect(lookups).toBeGreaterThan(0);
    expect(lookups).toBeLessThan(15);
  });
});
