import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, polonius] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'polonius')]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

const path = '/api/v1/realm/playgrounds';
const rust = { name: 'Rust', pygments_language: 'Rust', url_template: 'https://play.example.com/?code={code}' };

async function add(form: Record<string, string>): Promise<Json> {
  return (await iago.client.post<Json>(path, { form })).body;
}

async function listed(): Promise<unknown> {
  const form = { fetch_event_types: '["realm_playgrounds"]' };
  return (await polonius.client.post<Json>('/api/v1/register', { form })).body['realm_playgrounds'];
}

describe('POST /realm/playgrounds', () => {
  it('adds a playground to the snapshot and emits the complete list, also after its removal', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm_playgrounds']);
    const { id } = await add({ ...rust, name: ' Rust ' });
    const { id: second } = await add({ ...rust, name: 'Other' });
    const both = [
      { id, ...rust },
      { id: second, ...rust, name: 'Other' },
    ];
    expect(await listed()).toEqual(both);
    expect((await iago.client.delete<Json>(`${path}/${String(id)}`)).body).toMatchObject({ result: 'success' });
    expect(await listed()).toEqual(both.slice(1));
    expect(await queue.read()).toMatchObject(
      [both.slice(0, 1), both, both.slice(1)].map((realm_playgrounds) => ({ realm_playgrounds })),
    );
    await iago.client.delete<Json>(`${path}/${String(second)}`);
  });

  it.each([
    ['a language with other characters', { pygments_language: 'a$b' }, 'Invalid characters in pygments language'],
    ['a long language', { pygments_language: 'a'.repeat(41) }, /too long \(limit: 40 characters\)/],
    ['a blank name', { name: ' ' }, 'name cannot be blank'],
    ['an incomplete template', { url_template: 'https://x.test?test={test' }, 'Invalid URL template.'],
    ['a template of another protocol', { url_template: 'javascript:{code}' }, 'Invalid URL template.'],
    [
      'a template without the code',
      { url_template: 'https://x.test{?test}' },
      'Missing the required variable "code" in the URL template',
    ],
    [
      'a template with a second variable',
      { url_template: 'https://x.test{?test,code}' },
      '"code" should be the only variable present in the URL template',
    ],
  ])('rejects an invalid playground: %s', async (_name, form, msg) => {
    expect(await add({ ...rust, ...form })).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(msg) });
    expect(await listed()).toEqual([]);
  });

  it('rejects a playground with the name of another playground for the same language', async () => {
    const { id } = await add(rust);
    const msg = 'Realm playground with this Realm, Pygments language and Name already exists.';
    expect(await add(rust)).toMatchObject({ code: 'BAD_REQUEST', msg });
    const { id: other } = await add({ ...rust, pygments_language: 'C++' });
    for (const added of [id, other]) await iago.client.delete<Json>(`${path}/${String(added)}`);
  });

  it('rejects more than 100 playgrounds', async () => {
    await chat.runtime.database.query(
      `INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template)
       SELECT u.realm_id, 'p' || n, 'C', 'https://x.test/{code}' FROM users u, generate_series(1, 100) n WHERE u.id = $1`,
      [iago.id],
    );
    expect(await add(rust)).toMatchObject({ msg: 'There are 100 playgrounds already.' });
    await chat.runtime.database.query('DELETE FROM realm_playgrounds');
  });
});

describe('POST /realm/playgrounds and DELETE /realm/icon', () => {
  it('rejects an administrator who is demoted while the request waits', async () => {
    const client = await chat.runtime.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM realms FOR NO KEY UPDATE');
      const refused = [add(rust), iago.client.delete<Json>('/api/v1/realm/icon').then(({ body }) => body)];
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
      await expect.poll(async () => (await chat.runtime.database.query(waiting)).rowCount).toBeGreaterThanOrEqual(2);
      await client.query('UPDATE users SET role = 400 WHERE id = $1', [iago.id]);
      await client.query('COMMIT');
      for (const body of await Promise.all(refused)) expect(body).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
    } finally {
      client.release();
      await chat.runtime.database.query('UPDATE users SET role = 200 WHERE id = $1', [iago.id]);
    }
  });
});
