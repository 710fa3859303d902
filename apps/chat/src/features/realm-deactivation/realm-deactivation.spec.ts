import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRealm } from '../../app/admin/create-realm.js';
import { reactivateRealm } from '../../app/admin/reactivate-realm.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { BotService } from '../../../test/test-bot-service.js';
import { Mailbox } from '../../../test/test-mailbox.js';
import { getRealmImageUrlPath } from '../../core/realms/index.js';
import { StoredFileDeletionSchedule, createPublicPictureKey } from '../../infra/storage/index.js';
import { deleteDueRealms } from './index.js';

interface ResponseBody {
  readonly code: string;
  readonly msg: string;
}

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let desdemona: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  // The tests themselves end each request to the service of a bot.
  const env = { BOT_CALL_ALLOW_LOOPBACK: 'true', BOT_CALL_RETRY_INITIAL_MS: '5', BOT_CALL_TIMEOUT_MS: '60000' };
  [chat, other] = await Promise.all([cluster.start(env), cluster.start(env)]);
  [desdemona, hamlet] = await Promise.all([signIn(chat, 'desdemona'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

const deactivate = (form: Record<string, string> = {}) =>
  desdemona.client.post<ResponseBody>('/api/v1/realm/deactivate', { form });

const isActive = async () => {
  const [realm] = await query<{ deactivated: boolean }>('SELECT deactivated FROM realms ORDER BY id LIMIT 1');
  return realm?.deactivated === false;
};

const reactivateIfNecessary = async () => {
  if (!(await isActive())) await reactivateRealm(chat.runtime, undefined);
};

describe('POST /realm/deactivate', () => {
  beforeEach(reactivateIfNecessary);

  it('rejects every later request in every process, with or without credentials', async () => {
    await signIn(other, 'iago');
    const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { query: { username: hamlet.email } });
    const cookie = [headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0]);
    expect((await deactivate()).status).toBe(200);
    const refused = { status: 401, body: { code: 'REALM_DEACTIVATED', msg: 'This organization has been deactivated' } };
    const authorization = `Basic ${Buffer.from(`${hamlet.email}:${hamlet.apiKey}`).toString('base64')}`;
    for (const { client } of [chat, other]) {
      const get = (path: string, sent: Record<string, string> = {}) =>
        client.get<ResponseBody>(path, { headers: sent, unchecked: true });
      expect(await get('/api/v1/users/me', { authorization })).toMatchObject(refused);
      expect(await get('/json/users/me', { cookie: cookie.join('; ') })).toMatchObject(refused);
      expect(await get('/api/v1/server_settings')).toMatchObject(refused);
      expect(await get('/accounts/login/')).toMatchObject(refused);
      const form = { username: hamlet.email, password: 'wrong' };
      expect(await client.post('/api/v1/fetch_api_key', { form, unchecked: true })).toMatchObject(refused);
    }
    expect(await query('SELECT FROM sessions')).toEqual([]);
  });

  it('ends pending polls, and sends an email to the owners of the organization', async () => {
    const form = { event_types: '["realm"]', fetch_event_types: '[]' };
    const { body } = await hamlet.client.post<{ queue_id: string; last_event_id: number }>('/api/v1/register', {
      form,
    });
    const polled = hamlet.client.get('/api/v1/events', { query: { ...body }, unchecked: true });
    await expect.poll(() => chat.runtime.eventLog.metrics().waiters).toBe(1);
    await deactivate({ deletion_delay_days: '30' });
    expect((await polled).text).toMatch(/"op":"deactivated"|BAD_EVENT_QUEUE_ID/);
    const mails = async () => (await new Mailbox(chat).list(desdemona.email)).join('\n');
    await expect.poll(mails, { timeout: 30_000 }).toContain('in 30 days');
    const [realm] = await query(
      'SELECT round(extract(epoch FROM deletion_due_at - now()) / 86400)::int AS days FROM realms',
    );
    expect(realm).toEqual({ days: 30 });
  });

  it('applies the deletion delay of the first request when two owners deactivate the organization concurrently', async () => {
    await query("UPDATE users SET role = 100 WHERE delivery_email = 'iago@example.com'");
    const iago = await signIn(other, 'iago');
    const statuses = await Promise.all(
      [desdemona, iago].map(async ({ client }) => {
        const { status } = await client.post('/api/v1/realm/deactivate', { form: { deletion_delay_days: '30' } });
        return status;
      }),
    );
    expect(statuses.toSorted()).toEqual([200, 401]);
  });

  it.each([
    ['13', 'Data deletion time must be at least 14 days in the future.'],
    ['soon', 'Argument "deletion_delay_days" is not valid JSON.'],
  ])('rejects a delay of %s days', async (days, msg) => {
    expect(await deactivate({ deletion_delay_days: days })).toMatchObject({ status: 400, body: { msg } });
  });
});

describe('reactivate-realm', () => {
  it('gives users access again, and cancels the deletion of the organization', async () => {
    if (await isActive()) await deactivate({ deletion_delay_days: '14' });
    await reactivateRealm(chat.runtime, undefined);
    expect((await hamlet.client.get('/api/v1/users/me')).status).toBe(200);
    expect(await query('SELECT deletion_due_at FROM realms')).toEqual([{ deletion_due_at: null }]);
    await expect(reactivateRealm(chat.runtime, undefined)).rejects.toThrow('not deactivated');
  });

  it('rejects an organization whose deletion is due', async () => {
    await deactivate({ deletion_delay_days: '14' });
    await query('UPDATE realms SET deletion_due_at = now()');
    await expect(reactivateRealm(chat.runtime, undefined)).rejects.toThrow('is being deleted');
    await query("UPDATE realms SET deletion_due_at = now() + interval '1 day'");
    await reactivateRealm(chat.runtime, undefined);
  });
});

describe('DeliverScheduledMessages in a deactivated organization', () => {
  const later = 4_000_000_000;

  beforeEach(reactivateIfNecessary);

  async function schedule(content: string): Promise<number> {
    const form = { type: 'direct', to: JSON.stringify([hamlet.id]), content };
    const { body } = await hamlet.client.post<{ scheduled_message_id: number }>('/api/v1/scheduled_messages', {
      form: { ...form, scheduled_delivery_timestamp: String(later) },
    });
    return body.scheduled_message_id;
  }

  async function scheduleReminder(note: string): Promise<number> {
    const { body: message } = await hamlet.client.post<{ id: number }>('/api/v1/messages', {
      form: { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'do not forget' },
    });
    const form = { message_id: String(message.id), scheduled_delivery_timestamp: String(later), note };
    return (await hamlet.client.post<{ reminder_id: number }>('/api/v1/reminders', { form })).body.reminder_id;
  }

  const makeDue = (id: number, minutesAgo: number) =>
    query(
      `UPDATE scheduled_messages SET deliver_at = now() - make_interval(mins => $2),
         attempt_at = now() - make_interval(mins => $2) WHERE id = $1`,
      [id, minutesAgo],
    );

  const stored = (ids: readonly number[]) =>
    query('SELECT id, failure FROM scheduled_messages WHERE id = ANY($1) ORDER BY id', [ids]);

  /** Returns the number of Hamlet's messages whose text contains the given text. */
  const countMessages = async (text: string) => {
    const rows = await query(
      `SELECT FROM message_texts x JOIN user_messages um ON um.message_id = x.message_id
       WHERE um.user_id = $1 AND strpos(x.content, $2) > 0`,
      [hamlet.id, text],
    );
    return rows.length;
  };

  it('sends no due messages, and after the reactivation sends them or notifies the authors of late messages', async () => {
    const late = await schedule('an hour late');
    const inTime = await schedule('a minute late');
    const reminder = await scheduleReminder('remember this');
    await deactivate();
    await Promise.all([makeDue(late, 60), makeDue(inTime, 1), makeDue(reminder, 60)]);
    const ids = [late, inTime, reminder];
    const failure = 'This organization has been deactivated';
    await expect.poll(() => stored(ids), { timeout: 15_000 }).toEqual(ids.map((id) => ({ id, failure })));
    expect(await countMessages('a minute late')).toBe(0);
    expect(await countMessages('remember this')).toBe(0);
    expect(await countMessages('was not sent')).toBe(0);
    await reactivateRealm(chat.runtime, undefined);
    const tooLate = 'The message could not be sent at its time.';
    await expect.poll(() => stored(ids), { timeout: 15_000 }).toEqual([{ id: late, failure: tooLate }]);
    expect(await countMessages('a minute late')).toBe(1);
    expect(await countMessages('remember this')).toBe(1);
    expect(await countMessages('an hour late')).toBe(0);
    expect(await countMessages(tooLate)).toBe(1);
  });
});

describe('SendBotServiceRequest in a deactivated organization', () => {
  beforeEach(reactivateIfNecessary);

  it("deletes a failed request to a bot's service instead of repeating the request", async () => {
    const service = await BotService.open();
    service.response = () => null;
    const { body: bot } = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', {
      form: { full_name: 'Service Bot', short_name: 'service', bot_type: '3', payload_url: service.url },
    });
    const form = { type: 'direct', to: JSON.stringify([bot.user_id]), content: 'hello' };
    await hamlet.client.post('/api/v1/messages', { form });
    await service.nth(1);
    await deactivate();
    service.closeConnections();
    const pending = () => query('SELECT FROM bot_calls WHERE bot_id = $1', [bot.user_id]);
    await expect.poll(pending, { timeout: 15_000 }).toEqual([]);
    expect(service.calls).toHaveLength(1);
    await service.close();
  });
});

describe('deleteDueRealms', () => {
  /** Returns the number of rows of each table that is not empty. Tables with data of the whole server are excluded. */
  async function countRows(): Promise<Record<string, number>> {
    const tables = await query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
         AND tablename NOT IN ('_prisma_migrations', 'clients', 'doomed_files', 'outgoing_mails', 'delivered_mails') ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await query<{ n: number }>(`SELECT count(*)::int AS n FROM "${name}"`);
      if ((row?.n ?? 0) > 0) counts[name] = row?.n ?? 0;
    }
    return counts;
  }

  /**
   * Returns the number of rows per table that were added between two counts, together with the row count of the table
   * `server_version`.
   */
  function differenceOf(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
    const added = Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
    return { ...Object.fromEntries(added.filter(([, n]) => n > 0)), server_version: 1 };
  }

  it('deletes all data of an organization whose deletion is due, and no other data', async () => {
    const { runtime } = chat;
    const withoutOther = await countRows();
    await createRealm(runtime, { stringId: 'other', name: 'Other', host: 'other.example.com', description: '' });
    const ofOther = differenceOf(await countRows(), withoutOther);
    const [demo] = await query<{ id: number }>('SELECT min(id) AS id FROM realms');
    await query("UPDATE users SET avatar_key = 'face' WHERE id = $1", [hamlet.id]);
    await query('UPDATE realms SET images = $2 WHERE id = $1', [demo?.id, { icon: { key: 'sign', version: 2 } }]);
    await query(
      `INSERT INTO realm_emoji (realm_id, name, file_name, is_animated) VALUES ($1, 'wave', 'wave.gif', true)`,
      [demo?.id],
    );
    await query(
      `INSERT INTO attachments (realm_id, owner_id, path_id, file_name, size, content_type)
       VALUES ($1, $2, '1/ab/secret/a.txt', 'a.txt', 1, 'text/plain')`,
      [demo?.id, hamlet.id],
    );
    const tools = {
      database: runtime.database,
      files: new StoredFileDeletionSchedule(runtime.database, runtime.files.storage),
    };
    const run = () => deleteDueRealms(tools, new AbortController().signal);
    await query("UPDATE realms SET deactivated = true, deletion_due_at = now() + interval '1 day' WHERE id = $1", [
      demo?.id,
    ]);
    const before = await countRows();
    expect(before['messages']).toBeGreaterThan(0);
    await run();
    expect((await countRows())['messages']).toBe(before['messages']);
    await query('UPDATE realms SET deletion_due_at = now() WHERE id = $1', [demo?.id]);
    await run();
    expect(await query('SELECT string_id FROM realms')).toEqual([{ string_id: 'other' }]);
    expect(await countRows()).toEqual(ofOther);
    const doomed = await query<{ key: string }>('SELECT key FROM doomed_files');
    const keys = [
      createPublicPictureKey(getRealmImageUrlPath(demo?.id ?? 0, 'icon', 'sign')),
      `pictures/${demo?.id}/emoji/images/still/wave.png`,
      `pictures/${demo?.id}/emoji/images/wave.gif`,
      `pictures/${demo?.id}/face-medium.png`,
      `pictures/${demo?.id}/face.png`,
      'thumbnails/1/ab/secret/a.txt/840x560.webp',
      'uploads/1/ab/secret/a.txt',
    ];
    expect(doomed.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  });
});
