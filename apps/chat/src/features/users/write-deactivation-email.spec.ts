import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../../app/demo/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

describe('DELETE /users/{user_id} with actions', () => {
  it('mails the user the comment of the administrator if requested', async () => {
    const [hamlet, cordelia] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'cordelia')]);
    await iago.client.delete(`/api/v1/users/${cordelia.id}`);
    await iago.client.delete(`/api/v1/users/${hamlet.id}`, {
      form: { deactivation_notification_comment: 'The rest is silence.' },
    });
    const mailbox = new Mailbox(chat);
    const mail = await mailbox.newest(hamlet.email);
    expect(await mailbox.list(cordelia.email)).toEqual([]);
    expect(mail).toContain('Iago says:\r\n\r\nThe rest is silence.');
  });

  it('deletes the profile irreversibly if requested', async () => {
    const othello = await signIn(chat, 'othello');
    const placeholder = `deleteduser${othello.id}@zulipdev.com`;
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    const path = `/api/v1/users/${othello.id}`;
    const form = { actions: '{"delete_profile": true}' };
    expect((await iago.client.delete(path, { form })).status).toBe(200);
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, is_active: false } },
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, delivery_email: placeholder } },
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, new_email: placeholder } },
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, full_name: 'Deleted user' } },
    ]);
    const shown = await iago.client.get<{ user: object }>(path);
    expect(shown.body.user).toMatchObject({
      is_deleted: true,
      is_active: false,
      full_name: 'Deleted user',
      delivery_email: placeholder,
    });
    expect(await iago.client.get(`/api/v1/users/${othello.email}`)).toMatchObject({
      status: 400,
      body: { msg: 'No such user' },
    });
    const { rows } = await chat.runtime.database.query(
      "SELECT u.id FROM users u WHERE u::text ILIKE '%othello@%' UNION ALL SELECT i.id FROM invitations i WHERE i::text ILIKE '%othello@%'",
    );
    expect(rows).toEqual([]);
    expect((await iago.client.post(`${path}/reactivate`)).body).toMatchObject({
      msg: 'Cannot reactivate a deleted user',
    });
    const username = othello.email;
    const key = await chat.client.post('/api/v1/fetch_api_key', { form: { username, password: demoPassword } });
    expect(key.status).toBe(401);
  });

  it('deletes avatar, time zone, status and custom fields with the profile, with events to all users', async () => {
    const aaron = await signIn(chat, 'aaron');
    const { database } = chat.runtime;
    const { rows } = await database.query<{ id: number }>(
      'SELECT id FROM profile_fields WHERE field_type = 1 ORDER BY id LIMIT 1',
    );
    const field = rows[0]?.id ?? 0;
    await aaron.client.patch('/api/v1/users/me/profile_data', {
      form: { data: JSON.stringify([{ id: field, value: 'much' }]) },
    });
    await aaron.client.post('/api/v1/users/me/status', { form: { status_text: 'leaving' } });
    await database.query(
      "UPDATE users SET timezone = 'Europe/Berlin', avatar_source = 'U', avatar_key = 'k' WHERE id = $1",
      [aaron.id],
    );
    const queue = await openTestEventQueue(chat, iago, ['realm_user', 'user_status']);
    await iago.client.delete(`/api/v1/users/${aaron.id}`, { form: { actions: '{"delete_profile": true}' } });
    const events = (await queue.read()).map(({ type, person, status_text: text }) => person ?? { type, text });
    const told = events.filter((event) => !Object.hasOwn(event as object, 'is_active'));
    expect(told).toMatchObject([
      { delivery_email: `deleteduser${aaron.id}@zulipdev.com` },
      { new_email: `deleteduser${aaron.id}@zulipdev.com` },
      { avatar_source: 'G', avatar_version: 2 },
      { timezone: '' },
      { type: 'user_status', text: '' },
      { custom_profile_field: { id: field, value: null } },
      { full_name: 'Deleted user' },
    ]);
    const left = await database.query(
      `SELECT (SELECT count(*)::int FROM profile_values WHERE user_id = $1) AS values,
         (SELECT count(*)::int FROM user_statuses WHERE user_id = $1) AS statuses`,
      [aaron.id],
    );
    expect(left.rows).toEqual([{ values: 0, statuses: 0 }]);
  });

  it.each([
    ['delete_public_channel_messages', 'Verona'],
    ['delete_private_channel_messages', 'core team'],
    ['delete_direct_messages', 'direct'],
  ])('deletes only the selected kind of messages with %s', async (action, place) => {
    const { database } = chat.runtime;
    const writer = await signIn(chat, 'prospero');
    await database.query(
      `INSERT INTO subscriptions (user_id, channel_id, color) SELECT $1, c.id, '#ffffff' FROM channels c
       WHERE c.name IN ('Verona', 'core team') ON CONFLICT (user_id, channel_id) DO UPDATE SET is_active = true`,
      [writer.id],
    );
    const kept = await send(iago, { topic: 'theirs' });
    const sent = new Map([
      ['Verona', [await send(writer, { topic: 'theirs' }), await send(writer, { topic: 'other' })]],
      ['core team', [await send(writer, { to: 'core team', topic: 'theirs' })]],
      ['direct', [await send(writer, { type: 'direct', to: JSON.stringify([iago.id]) })]],
    ]);
    const queue = await openTestEventQueue(chat, iago, ['delete_message'], {
      client_capabilities: JSON.stringify({ bulk_message_deletion: true }),
    });
    const path = `/api/v1/users/${writer.id}`;
    const none = { delete_profile: false, delete_public_channel_messages: false };
    const actions = { ...none, delete_private_channel_messages: false, delete_direct_messages: false, [action]: true };
    const { body } = await iago.client.delete<{ msg: string }>(path, { form: { actions: JSON.stringify(actions) } });
    expect(body.msg).toBe('');
    const doomed = async () => (await database.query('SELECT 1 FROM doomed_senders')).rowCount;
    await expect.poll(doomed, { timeout: 15_000 }).toBe(0);
    const all = [...sent.values()].flat();
    const gone = sent.get(place) ?? [];
    const { rows } = await database.query<{ id: number }>('SELECT id FROM messages WHERE id = ANY($1) ORDER BY id', [
      [kept, ...all],
    ]);
    expect(rows.map(({ id }) => id)).toEqual(
      [kept, ...all].filter((id) => !gone.includes(id)).toSorted((x, y) => x - y),
    );
    const told = (await queue.read()).flatMap((event) => event['message_ids'] as number[]);
    expect(told).toEqual(expect.arrayContaining(gone));
    const shown = await iago.client.get<{ user: object }>(path);
    expect(shown.body.user).toMatchObject({ is_active: false, full_name: expect.not.stringContaining('Deleted') });
    expect((await iago.client.post(`${path}/reactivate`)).status).toBe(200);
  });

  it.each(['{"unheard_of": true}', '{"delete_messages": true}', '{"delete_profile": 1}', '[]'])(
    'rejects the actions %s',
    async (actions) => {
      const zoe = await signIn(chat, 'ZOE');
      const { body } = await iago.client.delete(`/api/v1/users/${zoe.id}`, { form: { actions } });
      expect(body).toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});
