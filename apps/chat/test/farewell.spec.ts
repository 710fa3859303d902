import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../src/modules/demo/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { openQueue } from './event-queue.js';
import { send } from './queue-support.js';
import { Mailbox } from './mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

describe('DELETE /users/{user_id}', () => {
  it('mails the person what an administrator says, where one is to be told', async () => {
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

  it('deletes the profile where that is asked for, for good', async () => {
    const othello = await signIn(chat, 'othello');
    const queue = await openQueue(chat, iago, ['realm_user']);
    const path = `/api/v1/users/${othello.id}`;
    const form = { actions: '{"delete_profile": true}' };
    expect((await iago.client.delete(path, { form })).status).toBe(200);
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, is_active: false } },
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, full_name: 'Deleted user' } },
    ]);
    const shown = await iago.client.get<{ user: object }>(path);
    expect(shown.body.user).toMatchObject({ is_deleted: true, is_active: false, full_name: 'Deleted user' });
    expect((await iago.client.post(`${path}/reactivate`)).body).toMatchObject({
      msg: 'Cannot reactivate a deleted user',
    });
    const username = othello.email;
    const key = await chat.client.post('/api/v1/fetch_api_key', { form: { username, password: demoPassword } });
    expect(key.status).toBe(401);
  });

  it('deletes with the profile its picture, time zone, status and fields, and tells everybody', async () => {
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
    const queue = await openQueue(chat, iago, ['realm_user', 'user_status']);
    await iago.client.delete(`/api/v1/users/${aaron.id}`, { form: { actions: '{"delete_profile": true}' } });
    const events = (await queue.read()).map(({ type, person, status_text: text }) => person ?? { type, text });
    const told = events.filter((event) => !Object.hasOwn(event as object, 'is_active'));
    expect(told).toMatchObject([
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

  it('deletes what the person wrote where that is asked for, everywhere and soon', async () => {
    const prospero = await signIn(chat, 'prospero');
    const kept = await send(iago, { topic: 'theirs' });
    const direct = { type: 'direct', to: JSON.stringify([iago.id]) };
    const [inTopic, other, toIago] = [
      await send(prospero, { topic: 'theirs' }),
      await send(prospero, { topic: 'other' }),
      await send(prospero, direct),
    ];
    const queue = await openQueue(chat, iago, ['delete_message'], {
      client_capabilities: JSON.stringify({ bulk_message_deletion: true }),
    });
    const { body } = await iago.client.delete<{ msg: string }>(`/api/v1/users/${prospero.id}`, {
      form: { actions: '{"delete_messages": true}' },
    });
    expect(body.msg).toBe('');
    const left = async () => {
      const { rows } = await chat.runtime.database.query<{ id: number }>(
        `SELECT id FROM messages WHERE sender_id = $1 UNION ALL SELECT user_id FROM doomed_senders`,
        [prospero.id],
      );
      return rows.length;
    };
    await expect.poll(left, { timeout: 15_000 }).toBe(0);
    const told = (await queue.read()).flatMap((event) => event['message_ids'] as number[]);
    expect(told).toEqual(expect.arrayContaining([inTopic, other, toIago]));
    expect(told).not.toContain(kept);
    const shown = await iago.client.get<{ user: object }>(`/api/v1/users/${prospero.id}`);
    expect(shown.body.user).toMatchObject({ is_active: false, full_name: expect.not.stringContaining('Deleted') });
  });

  it.each(['{"unheard_of": true}', '{"delete_profile": 1}', '[]'])('refuses the actions %s', async (actions) => {
    const zoe = await signIn(chat, 'ZOE');
    const { body } = await iago.client.delete(`/api/v1/users/${zoe.id}`, { form: { actions } });
    expect(body).toMatchObject({ code: 'BAD_REQUEST' });
  });
});
