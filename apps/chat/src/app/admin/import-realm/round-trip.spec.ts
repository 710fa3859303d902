import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InProcessApiClient, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../../test/chat-server.js';
import { picture, upload } from '../../../../test/upload-forms.js';
import { importRealm } from './import-realm.js';

type Body = Record<string, unknown>;

const people = ['desdemona', 'hamlet', 'ZOE', 'polonius'];

let original: { cluster: ChatCluster; chat: ChatProcess };
let copy: { cluster: ChatCluster; chat: ChatProcess };
let folder: string;

beforeAll(async () => {
  const [from, to] = [await chatCluster(), await chatCluster({ withDemo: false })];
  original = { cluster: from, chat: await from.start({ REALM_EXPORT_POLL_MS: '50' }) };
  copy = { cluster: to, chat: await to.start() };
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  await changeOriginal();
  await writeFile(join(folder, 'export.tar.gz'), await exportOriginal());
  const request = { path: join(folder, 'export.tar.gz'), host: 'zulipdev.com', publicUrl: undefined };
  await importRealm(copy.chat.runtime, { ...request, stringId: undefined });
}, 180_000);
afterAll(async () => {
  await original.cluster.stop();
  await copy.cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Adds data to the original organization, of kinds that the demo organization does not contain.
 */
async function changeOriginal(): Promise<void> {
  const { chat } = original;
  await chat.runtime.database.query(
    `UPDATE users SET settings = settings || '{"allow_private_data_export": true}' WHERE NOT is_system_bot`,
  );
  await chat.runtime.database.query(`UPDATE realms SET date_created = '2024-05-06T07:08:09.123Z'`);
  const { client } = await signIn(chat, 'hamlet');
  const owner = (await signIn(chat, 'desdemona')).client;
  const write = async (
    by: InProcessApiClient,
    url: string,
    form: Record<string, string>,
    method: 'post' | 'patch' = 'post',
  ) => {
    const { status, body } = await by[method]<{ id: number }>(`/api/v1/${url}`, { form });
    expect([url, status]).toEqual([url, 200]);
    return body.id;
  };
  const send = (topic: string, content: string, to: string) =>
    write(client, 'messages', { type: 'stream', to, topic, content });
  const { url } = await upload(client, { name: 'p.png', type: 'image/png', content: await picture(900, 600) });
  const id = await send('Files', `[picture](${url}) @**Iago**`, 'Denmark');
  await send('Files', 'see #**core team>Files**', 'core team');
  await write(client, `messages/${id}`, { content: `see [picture](${url}) @**Iago**`, topic: 'Pictures' }, 'patch');
  await write(client, 'users/me/alert_words', { alert_words: '["picture"]' });
  await write(client, 'saved_snippets', { title: 'A', content: 'B' });
  await write(client, 'user_topics', { stream_id: '2', topic: 'Pictures', visibility_policy: '1' });
  const anonymous = '{"direct_members":[],"direct_subgroups":[]}';
  const group = { name: 'players', description: 'They play', members: '[]', can_mention_group: anonymous };
  await write(owner, 'user_groups/create', group);
  await write(owner, 'channel_folders/create', { name: 'Places', description: '*All* of them' });
}

async function exportOriginal(): Promise<Buffer> {
  const { client } = await signIn(original.chat, 'desdemona');
  await client.post('/api/v1/export/realm', { form: { export_type: '2' } });
  const newest = async () => {
    const { body } = await client.get<{ exports: { pending: boolean; export_url: string | null }[] }>(
      '/api/v1/export/realm',
    );
    return body.exports.at(-1);
  };
  await waitFor(async () => (await newest())?.pending === false, { timeoutMs: 60_000 });
  const { pathname } = new URL((await newest())?.export_url ?? '', 'http://localhost');
  return (await original.chat.app.getHttpAdapter().getInstance().inject({ url: pathname })).rawPayload;
}

/** Names of snapshot fields whose values differ between two servers, or between two points in time. */
const fieldsOfServer = ['queue_id', 'realm_url', 'realm_uri', 'server_generation', 'server_timestamp'];

/**
 * Returns a snapshot of the organization without the API keys of bots and without the addresses of system bots. The
 * omitted values differ between servers.
 */
async function snapshotOf(client: InProcessApiClient): Promise<Body> {
  const { body } = await client.post<Body & Record<'cross_realm_bots' | 'realm_bots', Body[]>>('/api/v1/register', {
    form: { apply_markdown: 'true' },
  });
  const fields = Object.entries(body).filter(([field]) => !fieldsOfServer.includes(field));
  return {
    ...Object.fromEntries(fields),
    cross_realm_bots: body.cross_realm_bots.map(({ user_id: id }) => id),
    realm_bots: body.realm_bots.map(({ api_key: key, ...bot }) => ({ ...bot, hasKey: key !== '' })),
  };
}

interface Edit {
  prev_content?: string;
  prev_rendered_content?: string;
}

/**
 * Returns messages without recipient ids and without addresses of system bots. Also omits the HTML of earlier message
 * contents that the demo organization invents.
 */
async function messagesOf(client: InProcessApiClient): Promise<Body[]> {
  const query = 'anchor=newest&num_before=5000&num_after=0&apply_markdown=true';
  const { body } = await client.get<{ messages: Body[] }>(`/api/v1/messages?${query}`);
  return body.messages.map(({ recipient_id: _recipient, avatar_url: _avatar, ...message }) => ({
    ...message,
    sender_email: String(message['sender_email']).replace(/^notification-bot@.*/, 'notification-bot'),
    edit_history: (message['edit_history'] as Edit[] | undefined)?.map((edit) =>
      edit.prev_content?.startsWith('Teh ') === true ? { ...edit, prev_rendered_content: '' } : edit,
    ),
  }));
}

describe('import-realm of an export of this service', () => {
  it('keeps the milliseconds of the time at which the organization was created', async () => {
    const { rows } = await copy.chat.runtime.database.query('SELECT date_created FROM realms');
    expect(rows).toEqual([{ date_created: new Date('2024-05-06T07:08:09.123Z') }]);
  });

  it.each(people)('gives %s the same messages after the import as before the export', async (name) => {
    const [before, after] = [await signIn(original.chat, name), await signIn(copy.chat, name)];
    expect(after.id).toBe(before.id);
    expect(await messagesOf(after.client)).toEqual(await messagesOf(before.client));
  });

  it.each(people)('gives %s the same organization data after the import as before the export', async (name) => {
    const [before, after] = [await signIn(original.chat, name), await signIn(copy.chat, name)];
    expect(await snapshotOf(after.client)).toEqual(await snapshotOf(before.client));
  });
});
