import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { openTestEventQueue } from './test-event-queue.js';
import { send } from './event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

async function register(user: DemoUser, types: readonly string[]): Promise<Json> {
  const form = { fetch_event_types: JSON.stringify(types), event_types: '[]' };
  return (await user.client.post<Json>('/api/v1/register', { form })).body;
}

async function setRealm(form: Record<string, string | number | boolean>): Promise<Json> {
  return (await iago.client.patch<Json>('/api/v1/realm', { form })).body;
}

describe('POST /register', () => {
  it('returns the realm fields that feature levels up to 469 added', async () => {
    const first = await register(hamlet, ['realm', 'tenor']);
    const ratings = {
      disabled: { id: 0, name: expect.any(String) },
      g: { id: 1, name: expect.any(String) },
      r: { id: 4, name: expect.any(String) },
    };
    expect(first).toMatchObject({
      realm_uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      realm_default_avatar_source: 'G',
      realm_gif_rating_policy: 1,
      realm_giphy_rating: 1,
      realm_media_preview_size: 100,
      gif_rating_policy_options: ratings,
      giphy_rating_options: ratings,
      tenor_api_key: '',
      realm_owner_full_content_access: false,
      realm_send_channel_events_messages: true,
      server_supported_permission_settings: {
        stream: { can_administer_channel_group: { default_group_name: 'channel_creator' } },
        group: { can_manage_group: { default_group_name: 'group_creator' } },
      },
    });
    expect((await register(iago, ['realm']))['realm_uuid']).toBe(first['realm_uuid']);
  });

  it.each([
    ['desdemona', true],
    ['iago', true],
    ['shiva', true],
    ['hamlet', false],
  ])('returns is_moderator of %s as %s', async (name, isModerator) => {
    const user = await signIn(chat, name);
    expect((await register(user, ['realm_user']))['is_moderator']).toBe(isModerator);
  });

  it('returns the choices of emoji sets and notification sounds with the defaults for new users', async () => {
    const body = await register(iago, ['user_settings', 'realm_user_settings_defaults']);
    const choices = { emojiset_choices: expect.any(Array), available_notification_sounds: expect.any(Array) };
    expect(body['user_settings']).toMatchObject(choices);
    const { emojiset_choices, available_notification_sounds } = body['user_settings'] as Json;
    expect(body['realm_user_settings_defaults']).toMatchObject({ emojiset_choices, available_notification_sounds });
  });
});

describe('PATCH /realm', () => {
  it('emits update_dict for settings that also have an older event format', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm']);
    expect(await setRealm({ description: 'All *new*' })).toMatchObject({ description: 'All *new*' });
    expect(await setRealm({ gif_rating_policy: 2 })).toMatchObject({ gif_rating_policy: 2 });
    expect(await setRealm({ giphy_rating: 3 })).toMatchObject({ gif_rating_policy: 3 });
    const event = { type: 'realm', op: 'update_dict', property: 'default' };
    expect(await queue.read()).toEqual([
      { ...event, data: { description: 'All *new*', rendered_description: '<p>All <em>new</em></p>' } },
      { ...event, data: { gif_rating_policy: 2, giphy_rating: 2 } },
      { ...event, data: { gif_rating_policy: 3, giphy_rating: 3 } },
    ]);
    expect(await register(hamlet, ['realm'])).toMatchObject({
      realm_rendered_description: '<p>All <em>new</em></p>',
      realm_giphy_rating: 3,
    });
    expect(await setRealm({ media_preview_size: 150 })).toMatchObject({ media_preview_size: 150 });
    for (const bad of [{ media_preview_size: 120 }, { gif_rating_policy: 5 }, { default_avatar_source: 'X' }]) {
      expect(await setRealm(bad)).toMatchObject({ code: 'BAD_REQUEST' });
    }
  });

  it('enables and disables channel notifications', async () => {
    await send(hamlet, { to: 'Denmark', topic: 'events' });
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM channels WHERE name = 'Denmark'",
    );
    const describeAs = (description: string) =>
      iago.client.patch(`/api/v1/streams/${rows[0]?.id}`, { form: { description } });
    const notices = async () => {
      const query = {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        narrow: '[["channel","Denmark"],["topic","channel events"]]',
      };
      return (await hamlet.client.get<{ messages: Json[] }>('/api/v1/messages', { query })).body.messages.length;
    };
    await setRealm({ send_channel_events_messages: false });
    await describeAs('Something is rotten');
    expect(await notices()).toBe(0);
    await setRealm({ send_channel_events_messages: true });
    await describeAs('Something was rotten');
    expect(await notices()).toBe(1);
  });
});

describe('presence events', () => {
  it('omit the email address for queues with slim_presence, and show when a user enables or disables presence', async () => {
    const [slim, legacy, simplified] = [
      await openTestEventQueue(chat, iago, ['presence'], { slim_presence: 'true' }),
      await openTestEventQueue(chat, iago, ['presence']),
      await openTestEventQueue(chat, iago, ['presence'], {
        client_capabilities: JSON.stringify({ simplified_presence_events: true }),
      }),
    ];
    const before = Math.floor(Date.now() / 1000) - 1;
    for (const presence_enabled of [false, true]) {
      await hamlet.client.patch('/api/v1/settings', { form: { presence_enabled } });
    }
    const [off, on, ...others] = await slim.read();
    expect(others).toEqual([]);
    expect(off).toMatchObject({ user_id: hamlet.id, presence: { website: { status: 'idle', timestamp: 0 } } });
    expect(on).toMatchObject({ user_id: hamlet.id, presence: { website: { status: 'active' } } });
    for (const event of [off, on]) expect(event).not.toHaveProperty('email');
    expect((await legacy.read()).map((event) => event['email'])).toEqual(Array(2).fill(hamlet.email));
    const presences = (await simplified.read()).map((event) => (event['presences'] as Record<string, Json>)[hamlet.id]);
    expect(presences[0]).toMatchObject({ active_timestamp: 0 });
    expect(presences[1]?.['active_timestamp']).toBeGreaterThanOrEqual(before);
  });
});

describe('PATCH /bots/{bot_id}', () => {
  it('changes the email address of a bot by short_name, and emits the address to managers of the bot', async () => {
    const create = async (short_name: string) => {
      const form = { full_name: `The ${short_name}`, short_name };
      return (await hamlet.client.post<{ user_id: number; api_key: string }>('/api/v1/bots', { form })).body;
    };
    const [bot, other] = [await create('renamed'), await create('other')];
    const queue = await openTestEventQueue(chat, hamlet, ['realm_bot', 'realm_user']);
    const rename = async (short_name: string) =>
      (await hamlet.client.patch<Json>(`/api/v1/bots/${bot.user_id}`, { form: { short_name } })).body;
    expect(await rename('renewed')).toMatchObject({ result: 'success' });
    const email = 'renewed-bot@example.com';
    expect(await queue.read()).toEqual(
      expect.arrayContaining([
        { type: 'realm_bot', op: 'update', bot: { user_id: bot.user_id, email } },
        { type: 'realm_user', op: 'update', person: { user_id: bot.user_id, new_email: email } },
      ]),
    );
    const ask = (address: string) =>
      chat.client.get('/api/v1/users/me', { headers: createBasicAuthorization(address, bot.api_key), unchecked: true });
    expect((await ask(email)).status).toBe(200);
    expect((await ask('renamed-bot@example.com')).status).toBe(401);
    expect(await rename('other')).toMatchObject({ msg: "Email 'other-bot@example.com' already in use" });
    expect(await rename('no name')).toMatchObject({ msg: 'Bad name or username' });
    expect(other.user_id).not.toBe(bot.user_id);
  });
});
