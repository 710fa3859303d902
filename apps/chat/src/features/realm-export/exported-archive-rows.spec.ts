import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { selectCases, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareArchive } from '../../../test/compare-export-archives.js';
import { type ReadArchive, readArchiveFile } from '../../../test/export-archive-reader.js';
import { sameRows } from '../../../test/exported-table-queries.js';
import { animation, multipart, picture, upload } from '../../../test/upload-forms.js';
import { readStoredFile } from '../../infra/storage/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import type { WireExport } from './wire-export.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

const program = fileURLToPath(new URL('../../../dist/bundle.js', import.meta.url));

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
  iago = await signIn(chat, 'iago');
  await fillTables();
});
afterAll(() => cluster.stop());

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

const readStored = (key: string): Promise<Buffer | null> => readStoredFile(chat.runtime.files.storage, key);

type Json = Record<string, unknown>;

/** Sends a request as Iago and checks that the response is a success. */
async function requestSuccessfully(method: 'post' | 'put' | 'patch', path: string, form: Json): Promise<Json> {
  const encoded = Object.entries(form).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const { body } = await iago.client[method]<Json>(`/api/v1/${path}`, { form: Object.fromEntries(encoded) });
  expect(body['msg'], path).toBe('');
  return body;
}

async function uploadPicture(path: string, content: Buffer, fields: Record<string, string> = {}): Promise<void> {
  const { body } = await iago.client.post<Json>(`/api/v1/${path}`, multipart([{ name: 'a.png', content }], fields));
  expect(body['msg'], path).toBe('');
}

/** Adds an avatar, custom emoji, the icon and logos of the realm, and uploads that sent and scheduled messages link. */
async function addFiles(): Promise<void> {
  await uploadPicture('users/me/avatar', await picture(30, 20));
  await uploadPicture('realm/emoji/wave', await picture(20, 20));
  await uploadPicture('realm/emoji/moving_wave', await animation(20, 20));
  await uploadPicture('realm/icon', await picture(40, 40));
  await uploadPicture('realm/logo', await picture(80, 20), { night: 'false' });
  await uploadPicture('realm/logo', await picture(60, 20), { night: 'true' });
  const linked = await upload(iago.client, { name: 'größe 1.txt', type: 'text/plain', content: 'linked' });
  const scheduled = await upload(iago.client, { name: 'später.png', content: await picture(9, 9) });
  await upload(iago.client, { name: 'unused.txt', content: 'unused' });
  for (const topic of ['files', 'more files']) await send({ topic, content: `[a](${linked.url})` });
  const later = { scheduled_delivery_timestamp: 4_000_000_000 };
  const message = { type: 'direct', to: [iago.id], content: `[b](${scheduled.url})`, ...later };
  await requestSuccessfully('post', 'scheduled_messages', message);
}

const send = (fields: Json): Promise<Json> =>
  requestSuccessfully('post', 'messages', { type: 'channel', to: 'Verona', topic: 'export', content: 'x', ...fields });

/** Adds messages with edit histories of all kinds, and a conversation of more than two users. */
async function addEditedMessages(): Promise<void> {
  const denmark = (await iago.client.get<Json>('/api/v1/get_stream_id', { query: { stream: 'Denmark' } })).body;
  const { id: edited } = await send({ topic: 'renamed', content: 'first' });
  await send({ topic: 'renamed', content: 'second' });
  const { id: moved } = await send({ topic: 'moved', content: 'third' });
  const change = (id: unknown, form: Json) => requestSuccessfully('patch', `messages/${String(id)}`, form);
  await change(edited, { content: 'first, edited *twice*' });
  await change(edited, { content: 'first, edited again' });
  await change(edited, { topic: 'renamed again', propagate_mode: 'change_all' });
  await change(edited, { topic: '✔ renamed again', propagate_mode: 'change_all' });
  await change(moved, { stream_id: denmark['stream_id'], topic: 'arrived', propagate_mode: 'change_one' });
  await change(moved, { content: 'third, edited', topic: 'arrived later' });
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    'SELECT id FROM users WHERE bot_type IS NULL AND is_active AND id <> $1 ORDER BY id LIMIT 3',
    [iago.id],
  );
  await send({ type: 'direct', to: rows.map(({ id }) => id), content: 'a conversation of four' });
}

/** Adds one of each object that the demo realm lacks and that has an endpoint. */
async function addObjects(): Promise<void> {
  await requestSuccessfully('post', 'channel_folders/create', { name: 'Folder', description: '*shelf*' });
  await requestSuccessfully('post', 'users/me/status', { status_text: 'busy', emoji_name: 'car' });
  await requestSuccessfully('patch', 'users/me/profile_data', { data: [{ id: 1, value: '*x*' }] });
  await requestSuccessfully('patch', 'realm/user_settings_defaults', { enter_sends: true, color_scheme: 3 });
  await requestSuccessfully('patch', 'realm', { description: 'of the *archive*', inline_image_preview: false });
  const filter = { pattern: '#E(?P<id>[0-9]+)', url_template: 'https://e.test/{id}', example_input: '#E1' };
  await requestSuccessfully('post', 'realm/filters', filter);
  await requestSuccessfully('post', 'bots', {
    full_name: 'Outgoing',
    short_name: 'outgoing',
    bot_type: 3,
    payload_url: 'https://hook.test/',
  });
}

/**
 * Inserts rows into the tables that are empty in the demo realm, and makes all users consent to the export of private
 * data.
 */
async function fillTables(): Promise<void> {
  await addFiles();
  await addEditedMessages();
  await addObjects();
  await query(`UPDATE users SET settings = settings || '{"allow_private_data_export": true, "color_scheme": 2}'`);
  const [channel] = await query<{ id: number }>('SELECT id FROM channels WHERE NOT is_private ORDER BY id LIMIT 1');
  const statements = [
    `UPDATE realms SET date_created = '2024-05-06T07:08:09.123Z'`,
    `INSERT INTO saved_snippets (user_id, title, content) SELECT id, 'Title', 'é \\ " 😀' || id FROM users WHERE NOT is_system_bot`,
    `INSERT INTO alert_words (user_id, word, word_key) VALUES ($1, 'Wörter', 'wörter')`,
    `INSERT INTO muted_users (user_id, muted_user_id) SELECT id, $1 FROM users WHERE id <> $1 LIMIT 3`,
    `INSERT INTO navigation_views (user_id, fragment, is_pinned) VALUES ($1, 'narrow/x', true)`,
    `INSERT INTO onboarding_steps (user_id, step) VALUES ($1, 'intro_inbox_view_modal'), ($1, 'visibility_policy_banner')`,
    `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy) VALUES ($1, $2, 'lunch', 'Lunch', 3)`,
    `INSERT INTO realm_domains (realm_id, domain, allow_subdomains) SELECT realm_id, 'example.com', true FROM users WHERE id = $1`,
    `INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template)
       SELECT realm_id, 'P', 'Python', 'https://x.test/{code}' FROM users WHERE id = $1`,
    `INSERT INTO bot_storage (user_id, key, value) SELECT id, 'k', 'v' FROM users WHERE bot_type = 3`,
    "UPDATE channels SET is_default = true WHERE name = 'Verona'",
    `UPDATE subscriptions SET is_muted = true, pin_to_top = true, desktop_notifications = false WHERE user_id = $1`,
    `INSERT INTO scheduled_messages (user_id, type, to_ids, topic, content, rendered_content, client, read_by_sender,
       deliver_at, attempt_at) VALUES ($1, 'stream', ARRAY[$2::int], 'later', 'c', '<p>c</p>', 'website', true,
       now() + interval '1 day', now() + interval '1 day'), ($1, 'private', ARRAY[$1::int], '', 'self', '<p>s</p>', 'x', true,
       now() + interval '1 day', now() + interval '1 day')`,
    `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
       SELECT m.id, $1, 'wave', (SELECT id::text FROM realm_emoji WHERE name = 'wave'), 'realm_emoji'
       FROM messages m ORDER BY m.id LIMIT 3`,
  ];
  const values = [iago.id, channel!.id];
  for (const text of statements)
    await query(text, values.slice(0, text.includes('$2') ? 2 : Number(text.includes('$1'))));
}

/** Starts a worker process that creates export archives. */
function startWorker(env: Record<string, string> = {}): {
  readonly ended: Promise<unknown>;
  readonly pid: number;
  kill(): void;
} {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const shared = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR };
  const own = {
    NODE_ENV: 'test',
    ROLE: 'worker',
    PORT: '0',
    REALM_EXPORT_POLL_MS: '50',
    REALM_EXPORT_LEASE_MS: '2000',
  };
  const worker = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...shared, ...own, ...env },
    stdio: 'ignore',
  });
  return { ended: once(worker, 'exit'), pid: worker.pid ?? 0, kill: () => worker.kill('SIGKILL') };
}

async function requestExport(): Promise<number> {
  const form = { export_type: '2' };
  return (await iago.client.post<{ id: number }>('/api/v1/export/realm', { form })).body.id;
}

async function readExport(id: number): Promise<ReadArchive> {
  const find = async () =>
    (await iago.client.get<{ exports: WireExport[] }>('/api/v1/export/realm')).body.exports.find(
      (one) => one.id === id,
    );
  await waitFor(async () => (await find())?.pending === false, { timeoutMs: 120_000 });
  const { pathname } = new URL((await find())?.export_url ?? '', 'http://localhost');
  const { rawPayload } = await chat.app.getHttpAdapter().getInstance().inject({ url: pathname });
  return readArchiveFile(rawPayload);
}

/** Fault points at which a worker is killed. The state before an uncommitted transaction then remains. */
const faultPoints = ['realm-export.after-commit:1', 'realm-export.before-commit:3'];

describe('archive of an export', () => {
  it.each(selectCases(faultPoints, (point) => point === 'realm-export.after-commit:1'))(
    'equals the database in every row if another worker continues after a kill at %s',
    async (point) => {
      await query("UPDATE realm_exports SET requested_at = now() - interval '8 days'");
      const id = await requestExport();
      await startWorker({ FAULT_POINT: point }).ended;
      const [export_] = await query<{ stage: number; done: boolean }>(
        'SELECT stage, succeeded_at IS NOT NULL AS done FROM realm_exports WHERE id = $1',
        [id],
      );
      expect(export_?.done).toBe(false);
      const survivor = startWorker();
      const read = await readExport(id);
      survivor.kill();
      await survivor.ended;
      expect(read.messages.length).toBeGreaterThan(10);
      expect(await compareArchive(read, query, readStored)).toEqual([]);
      expect(Object.keys(sameRows).filter((table) => read.rows(table).length === 0)).toEqual([]);
      const copied = [...read.files.keys()].filter((path) => !path.endsWith('/records.json'));
      const folders = copied.map((path) => path.split('/', 1)[0]);
      expect(folders).toEqual(expect.arrayContaining(['uploads', 'avatars', 'emoji', 'realm_icons']));
      expect(read.messages.filter((row) => row['edit_history'] !== null).length).toBeGreaterThan(2);
    },
    180_000,
  );
});

/** Number of messages in the slow variant of the test (`npm run test:export`). */
const manyMessages = Number(process.env['EXPORT_MESSAGES'] ?? 0);

/** Inserts messages into a channel, with a recipient row for each subscriber. */
async function addMessages(count: number): Promise<void> {
  await chat.runtime.database.inTransaction(async (tx) => {
    await tx.query('SET LOCAL statement_timeout = 0');
    const { rows } = await tx.query<{ channel: number; before: number }>(
      `SELECT (SELECT min(channel_id) FROM subscriptions WHERE user_id = $1 AND is_active) AS channel, max(id) AS before
       FROM messages`,
      [iago.id],
    );
    const { channel, before } = rows[0]!;
    await tx.query(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
       SELECT r.realm_id, $1, r.id, (SELECT min(id) FROM clients), t.topic_id
       FROM recipients r, topic_of(r.id, 'many', 'Many') t, generate_series(1, $3::int) WHERE r.channel_id = $2`,
      [iago.id, channel, count],
    );
    await tx.query(
      `INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
       SELECT id, 'message ' || id || repeat(' of many', 30), '<p>message ' || id || repeat(' of many', 30) || '</p>', 2
       FROM messages WHERE id > $1`,
      [before],
    );
    await tx.query(
      `INSERT INTO user_messages (user_id, message_id, flags) SELECT s.user_id, m.id, m.id % 4 FROM messages m
       JOIN subscriptions s ON s.channel_id = $2 AND s.is_active WHERE m.id > $1`,
      [before, channel],
    );
  });
  await query('ANALYZE');
}

/** Returns the current or the peak memory use of a process in MB. */
async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

/**
 * Sends requests to the health endpoint of a process until stopped. The method `stop` returns the longest response time
 * in milliseconds.
 */
function watchStalls(port: string): { stop(): Promise<number> } {
  let isStopped = false;
  let longest = 0;
  const running = (async () => {
    while (!isStopped) {
      const started = performance.now();
      await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
      longest = Math.max(longest, performance.now() - started);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return longest;
    },
  };
}

if (manyMessages > 0) {
  describe(`export of ${manyMessages} messages`, () => {
    it('equals the database in every row, with at most 200 MB more memory', async () => {
      await addMessages(manyMessages);
      await query("UPDATE realm_exports SET requested_at = now() - interval '8 days'");
      const port = '19995';
      const worker = startWorker({ PORT: port, HOST: '127.0.0.1' });
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await waitFor(isReady, { timeoutMs: 60_000 });
      const before = await memoryOf(worker.pid, 'VmRSS');
      const started = performance.now();
      const stalls = watchStalls(port);
      const id = await requestExport();
      const finished = async () =>
        (await query('SELECT FROM realm_exports WHERE id = $1 AND succeeded_at IS NOT NULL', [id])).length > 0;
      await waitFor(finished, { timeoutMs: 900_000 });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const [stallMs, peak] = [await stalls.stop(), await memoryOf(worker.pid, 'VmHWM')];
      worker.kill();
      await worker.ended;
      const read = await readExport(id);
      const added = peak - before;
      console.log(
        `${read.messages.length} messages, ${read.userMessages.length} rows of recipients: ${seconds} s, ` +
          `memory ${before.toFixed(0)} MB + ${added.toFixed(0)} MB, longest stall ${stallMs.toFixed(0)} ms`,
      );
      expect(await compareArchive(read, query, readStored)).toEqual([]);
      expect(added).toBeLessThan(200);
    }, 1_800_000);
  });
}
