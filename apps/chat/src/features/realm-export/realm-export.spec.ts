import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ReadArchive, readArchiveFile } from '../../../test/export-archive-reader.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue, type TestQueue } from '../../../test/test-event-queue.js';
import { multipart, picture, upload } from '../../../test/upload-forms.js';
import type { WireExport } from './wire-export.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ REALM_EXPORT_POLL_MS: '50', REALM_EXPORTS_PER_WEEK: '3' });
  [desdemona, iago, hamlet, cordelia] = (await Promise.all(
    ['desdemona', 'iago', 'hamlet', 'cordelia'].map((name) => signIn(chat, name)),
  )) as [DemoUser, DemoUser, DemoUser, DemoUser];
});
afterAll(() => cluster.stop());
beforeEach(() => query('DELETE FROM realm_exports WHERE succeeded_at IS NOT NULL OR failed_at IS NOT NULL'));

const path = '/api/v1/export/realm';

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

const request = (form: Record<string, string> = {}) => iago.client.post<{ id: number; msg: string }>(path, { form });

const list = async () => (await iago.client.get<{ exports: WireExport[] }>(path)).body.exports;

const consent = (user: DemoUser, value: boolean) =>
  user.client.patch('/api/v1/settings', { form: { allow_private_data_export: String(value) } });

async function finished(id: number): Promise<WireExport> {
  await waitFor(async () => (await list()).find((one) => one.id === id)?.pending === false, { timeoutMs: 60_000 });
  return (await list()).find((one) => one.id === id)!;
}

async function download(url: string | null) {
  const { pathname } = new URL(url ?? '', 'http://localhost');
  return chat.app.getHttpAdapter().getInstance().inject({ url: pathname });
}

async function makeArchive(type: string): Promise<ReadArchive> {
  const { body } = await request({ export_type: type });
  const { export_url: url, failed_timestamp: failed } = await finished(body.id);
  expect([failed, url]).toEqual([null, expect.any(String)]);
  return readArchiveFile((await download(url)).rawPayload);
}

describe('POST /export/realm', () => {
  it('creates an archive, and emits its progress to administrators only', async () => {
    const [queue, members] = [
      await openTestEventQueue(chat, iago, ['realm_export']),
      await openTestEventQueue(chat, hamlet, ['realm_export']),
    ];
    const { status, body } = await request();
    expect(status).toBe(200);
    const row = await finished(body.id);
    expect(row).toEqual({
      id: body.id,
      acting_user_id: iago.id,
      export_time: expect.any(Number),
      deleted_timestamp: null,
      failed_timestamp: null,
      export_url: expect.stringContaining('/user_uploads/exports/'),
      pending: false,
      export_type: 1,
    });
    const states = (await queue.read()) as unknown as { exports: WireExport[] }[];
    expect(states.map(({ exports }) => exports.at(-1)?.pending)).toEqual([true, false]);
    expect(await members.read()).toEqual([]);
  });

  it('emits no link to the archive for API keys without the scope administer', async () => {
    const added = await iago.client.post<{ api_key: string }>('/api/v1/users/me/api_keys', {
      form: { name: 'reader', scopes: '["read"]' },
    });
    const reader = {
      ...iago,
      client: chat.client.withHeaders(createBasicAuthorization(iago.email, added.body.api_key)),
    };
    const [queue, limited] = [
      await openTestEventQueue(chat, iago, ['realm_export']),
      await openTestEventQueue(chat, reader, ['realm_export']),
    ];
    await finished((await request()).body.id);
    const linksOf = async ({ read }: TestQueue) =>
      ((await read()) as unknown as { exports: WireExport[] }[]).map(({ exports }) => exports.at(-1)?.export_url);
    expect(await linksOf(queue)).toEqual([null, expect.stringContaining('/user_uploads/exports/')]);
    expect(await linksOf(limited)).toEqual([null, null]);
  });

  it.each([
    ['1', 1],
    ['public', 1],
    ['2', 2],
    ['full_with_consent', 2],
  ])('accepts the export type %s', async (sent, type) => {
    await consent(desdemona, true);
    const { body } = await request({ export_type: sent });
    expect(await finished(body.id)).toMatchObject({ export_type: type, failed_timestamp: null });
  });

  it('rejects an unknown export type', async () => {
    expect((await request({ export_type: '3' })).body).toMatchObject({ msg: 'Invalid export_type' });
  });

  it('rejects an export with consent when no owner of the organization consents', async () => {
    await consent(desdemona, false);
    expect((await request({ export_type: '2' })).body.msg).toMatch(/^Make sure at least one Organization Owner/);
  });

  it('rejects a public export when nobody may see the email address of the only owner', async () => {
    await query('UPDATE users SET email_address_visibility = 4 WHERE id = $1', [desdemona.id]);
    expect((await request()).body.msg).toMatch(/^Make sure at least one Organization Owner/);
    await query('UPDATE users SET email_address_visibility = 1 WHERE id = $1', [desdemona.id]);
  });

  it('rejects more exports within a week than REALM_EXPORTS_PER_WEEK', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await request()).body.id);
    expect(await request()).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', msg: 'Exceeded rate limit.' } });
    for (const id of ids) await finished(id);
    await query("UPDATE realm_exports SET requested_at = now() - interval '8 days'");
    await finished((await request()).body.id);
  });
});

describe('GET /user_uploads/exports/{token}/{filename}', () => {
  const linkFor = async (user: DemoUser, id: number) =>
    (await user.client.get<{ exports: WireExport[] }>(path)).body.exports.find((one) => one.id === id)?.export_url ??
    '';

  const changeUser = (column: 'role' | 'is_active', value: unknown) =>
    query(`UPDATE users SET ${column} = $2 WHERE id = $1`, [iago.id, value]);

  it.each([
    ['demoted', 'role', 400, 200],
    ['deactivated', 'is_active', false, true],
  ] as const)(
    'responds 404 while the administrator who received the link is %s',
    async (_state, column, lost, restored) => {
      const { id } = (await request()).body;
      const own = (await finished(id)).export_url;
      const others = await linkFor(desdemona, id);
      await changeUser(column, lost);
      expect([(await download(own)).statusCode, (await download(others)).statusCode]).toEqual([404, 200]);
      await changeUser(column, restored);
      expect((await download(own)).statusCode).toBe(200);
    },
  );

  it('responds 404 for the link in an event to an administrator who was demoted', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_export']);
    await finished((await request()).body.id);
    const events = (await queue.read()) as unknown as { exports: WireExport[] }[];
    const url = events.at(-1)?.exports.at(-1)?.export_url ?? '';
    expect((await download(url)).statusCode).toBe(200);
    await changeUser('role', 400);
    expect((await download(url)).statusCode).toBe(404);
    await changeUser('role', 200);
  });
});

describe('DELETE /export/realm/{export_id}', () => {
  const remove = (id: number) => iago.client.delete<{ msg: string }>(`${path}/${id}`);

  it('removes the archive and its files, after which the link responds 404', async () => {
    const { body } = await request();
    const { export_url: url } = await finished(body.id);
    expect((await download(url)).statusCode).toBe(200);
    expect((await download('/user_uploads/exports/forged/a.tar.gz')).statusCode).toBe(404);
    expect((await remove(body.id)).status).toBe(200);
    expect((await list()).at(-1)).toMatchObject({ export_url: null, deleted_timestamp: expect.any(Number) });
    expect((await download(url)).statusCode).toBe(404);
    expect(await query("SELECT key FROM doomed_files WHERE key LIKE 'exports/%'")).toEqual([]);
    expect((await remove(body.id)).body.msg).toBe('Export already deleted');
    expect(await remove(999_999)).toMatchObject({ status: 404, body: { msg: 'Invalid data export ID' } });
  });

  it('rejects exports that are pending or have failed', async () => {
    const insert = `INSERT INTO realm_exports (realm_id, acting_user_id, export_type, lease_until, failed_at)
      SELECT realm_id, id, 1, now() + interval '1 hour', $2 FROM users WHERE id = $1 RETURNING id`;
    const [[pending], [failed]] = [
      await query<{ id: number }>(insert, [iago.id, null]),
      await query<{ id: number }>(insert, [iago.id, new Date()]),
    ];
    expect((await remove(pending!.id)).body.msg).toBe('Export still in progress');
    expect((await remove(failed!.id)).body.msg).toBe('Export failed, nothing to delete');
    await query('DELETE FROM realm_exports WHERE id = $1', [pending!.id]);
  });
});

describe('GET /export/realm/consents', () => {
  it('lists the consents of active users, whose changes administrators receive as events', async () => {
    await consent(hamlet, false);
    const [queue, others] = [
      await openTestEventQueue(chat, iago, ['realm_export_consent']),
      await openTestEventQueue(chat, cordelia, ['realm_export_consent']),
    ];
    await consent(hamlet, true);
    await consent(hamlet, true);
    expect(await queue.read()).toEqual([{ type: 'realm_export_consent', user_id: hamlet.id, consented: true }]);
    expect(await others.read()).toEqual([]);
    const { body } = await iago.client.get<{ export_consents: object[] }>(`${path}/consents`);
    expect(body.export_consents).toContainEqual({ user_id: hamlet.id, consented: true });
    const [active] = await query<{ n: number }>(
      'SELECT count(*)::int AS n FROM users WHERE is_active AND bot_type IS NULL',
    );
    expect(body.export_consents).toHaveLength(active!.n);
  });
});

describe('archive of an export', () => {
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).toSorted((a, b) => a - b);

  const send = async (user: DemoUser, form: Record<string, string>) =>
    (await user.client.post<{ id: number }>('/api/v1/messages', { form })).body.id;

  const toUsers = (...users: DemoUser[]) => ({ type: 'direct', to: JSON.stringify(users.map(({ id }) => id)) });

  it('contains only messages of public channels and no private data if the export is public', async () => {
    await consent(hamlet, true);
    await send(hamlet, { ...toUsers(cordelia), content: 'between us' });
    await hamlet.client.post('/api/v1/saved_snippets', { form: { title: 'secret', content: 'of hamlet' } });
    const read = await makeArchive('public');
    const shown = await query<{ id: number }>(
      `SELECT m.id FROM messages m JOIN recipients r ON r.id = m.recipient_id JOIN channels c ON c.id = r.channel_id
       WHERE NOT c.is_private ORDER BY m.id`,
    );
    expect(idsOf(read.messages)).toEqual(idsOf(shown));
    for (const table of ['zerver_savedsnippet', 'zerver_alertword', 'zerver_usertopic', 'zerver_huddle']) {
      expect([table, read.rows(table)]).toEqual([table, []]);
    }
    const text = [...read.files.values()].map((file) => file.toString('latin1')).join('');
    expect(text).not.toContain('between us');
    const [{ sealed, hash } = { sealed: '?', hash: '?' }] = await query<{ sealed: string; hash: string }>(
      'SELECT api_key_sealed AS sealed, password_hash AS hash FROM users WHERE id = $1',
      [hamlet.id],
    );
    for (const secret of [sealed, hash, hamlet.apiKey]) expect(text).not.toContain(secret);
    expect(read.userMessages.every(({ flags_mask: flags }) => (Number(flags) & (1 | 2 | 4 | 512)) === 1)).toBe(true);
  });

  it('contains conversations and private channels only of consenting users', async () => {
    await consent(desdemona, true);
    await consent(hamlet, true);
    await consent(cordelia, false);
    const othello = await signIn(chat, 'othello');
    const known = await send(hamlet, { ...toUsers(cordelia), content: 'from hamlet' });
    const answer = await send(cordelia, { ...toUsers(hamlet), content: 'to hamlet' });
    const group = await send(cordelia, { ...toUsers(hamlet, othello), content: 'to both' });
    const hidden = await send(cordelia, { ...toUsers(othello), content: 'not for archives' });
    const read = await makeArchive('2');
    const ids = idsOf(read.messages);
    expect(ids).toEqual(expect.arrayContaining([known, answer, group]));
    expect(ids).not.toContain(hidden);
    const recipients = new Map(read.rows('zerver_recipient').map((row) => [row.id, row]));
    const recipientOf = (id: number) =>
      recipients.get(Number(read.messages.find((one) => one.id === id)?.['recipient']));
    expect(recipientOf(known)).toMatchObject({ type: 1, type_id: cordelia.id });
    expect(recipientOf(answer)).toMatchObject({ type: 1, type_id: hamlet.id });
    expect(recipientOf(group)).toMatchObject({ type: 3 });
    const isDummy = (user: DemoUser) => read.rows('zerver_userprofile_mirrordummy').some(({ id }) => id === user.id);
    expect([isDummy(hamlet), isDummy(cordelia)]).toEqual([false, true]);
    expect(read.userMessages.some((row) => row['user_profile'] === cordelia.id)).toBe(false);
    expect(read.userMessages).toContainEqual(expect.objectContaining({ user_profile: hamlet.id, message: answer }));
  });

  it('contains messages of a channel with protected history that are not yet stored for a soft-deactivated reader', async () => {
    const { body } = await hamlet.client.post<{ id: number }>('/api/v1/channels/create', {
      form: {
        name: 'protected',
        subscribers: JSON.stringify([hamlet.id, cordelia.id]),
        invite_only: 'true',
        history_public_to_subscribers: 'false',
      },
    });
    await consent(desdemona, true);
    await consent(hamlet, false);
    await consent(cordelia, true);
    await query(
      `INSERT INTO soft_deactivations (user_id, realm_id, after_message_id)
       SELECT id, realm_id, next_message_id() - 1 FROM users WHERE id = $1`,
      [cordelia.id],
    );
    const toChannel = { type: 'channel', to: String(body.id), topic: 'a' };
    const omitted = await send(hamlet, { ...toChannel, content: 'while cordelia is away' });
    const rowsOf = async (id: number) =>
      (await query<{ user_id: number }>('SELECT user_id FROM user_messages WHERE message_id = $1', [id])).map(
        (row) => row.user_id,
      );
    expect(await rowsOf(omitted)).toEqual([hamlet.id]);
    const read = await makeArchive('2');
    expect(await rowsOf(omitted)).toEqual([hamlet.id]);
    await query('DELETE FROM soft_deactivations');
    await consent(cordelia, false);
    expect(idsOf(read.messages)).toContain(omitted);
    expect(read.userMessages).toContainEqual(expect.objectContaining({ user_profile: cordelia.id, message: omitted }));
    expect(idsOf((await makeArchive('2')).messages)).not.toContain(omitted);
  });

  it('contains uploaded files, and omits a file that is missing in the storage', async () => {
    const content = await picture(20, 20);
    const [kept, lost] = [
      await upload(hamlet.client, { name: 'kept é.png', type: 'image/png', content }),
      await upload(hamlet.client, { name: 'lost.txt', content: 'x' }),
    ];
    const [channel] = await query<{ name: string }>(
      `SELECT c.name FROM channels c JOIN subscriptions s ON s.channel_id = c.id
       WHERE NOT c.is_private AND NOT c.is_archived AND s.user_id = $1 AND s.is_active ORDER BY c.id LIMIT 1`,
      [hamlet.id],
    );
    const message = { type: 'stream', to: channel!.name, topic: 'files' };
    const id = await send(hamlet, { ...message, content: `[a](${kept.url}) [b](${lost.url})` });
    await chat.runtime.files.storage.remove(`uploads/${lost.url.replace('/user_uploads/', '')}`);
    await hamlet.client.post('/api/v1/users/me/avatar', multipart([{ name: 'a.png', type: 'image/png', content }]));
    await query('UPDATE users SET email_address_visibility = 4 WHERE id = $1', [hamlet.id]);
    const read = await makeArchive('public');
    await query('UPDATE users SET email_address_visibility = 1 WHERE id = $1', [hamlet.id]);
    // No file of the archive contains an address that its owner hides.
    expect(String(read.files.get('avatars/records.json'))).toContain(`"user_profile_id":${hamlet.id}`);
    const revealing = [...read.files].filter(([, file]) => file.includes(hamlet.email));
    expect(revealing.map(([name]) => name)).toEqual([]);
    const pathId = decodeURI(kept.url.replace('/user_uploads/', ''));
    expect(read.files.get(`uploads/${pathId}`)?.equals(content)).toBe(true);
    const [attachments, records] = ['attachment.json', 'uploads/records.json'].map(
      (name) => JSON.parse(String(read.files.get(name))) as unknown,
    ) as [{ zerver_attachment: { messages: number[] }[] }, { path: string }[]];
    const attached = attachments.zerver_attachment.filter(({ messages }) => messages.includes(id));
    expect(attached).toMatchObject([{ path_id: pathId, messages: [id], owner: hamlet.id }]);
    expect(records.filter(({ path }) => path === pathId)).toMatchObject([
      { s3_path: pathId, user_profile_id: hamlet.id, size: content.length },
    ]);
    expect(records.some(({ path }) => path.includes('lost.txt'))).toBe(false);
    expect([...read.files.keys()].some((name) => name.includes('lost.txt'))).toBe(false);
  });
});
