import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { multipart, picture } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let bot: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, bot] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago'), signIn(chat, 'default-bot')]);
});
afterAll(() => cluster.stop());

const set = async (user: DemoUser, form: Record<string, string>) => {
  return (await user.client.post<Json>('/api/v1/users/me/status', { form })).body;
};
const get = async (user: DemoUser, id: number) => {
  return (await user.client.get<{ status: Json }>(`/api/v1/users/${id}/status`)).body.status;
};
async function statuses(user: DemoUser): Promise<Json> {
  const form = { fetch_event_types: '["user_status"]', event_types: '[]' };
  return (await user.client.post<{ user_status: Json }>('/api/v1/register', { form })).body.user_status;
}

describe('POST /users/me/status', () => {
  it('changes only the given fields, and emits the status to all users', async () => {
    const queue = await openTestEventQueue(chat, iago, ['user_status']);
    expect(await set(hamlet, { status_text: ' on vacation ' })).toEqual({ result: 'success', msg: '' });
    await set(hamlet, { emoji_name: 'car', emoji_code: '1f697', reaction_type: 'unicode_emoji' });
    const emoji = { emoji_name: 'car', emoji_code: '1f697', reaction_type: 'unicode_emoji' };
    const status = { status_text: 'on vacation', ...emoji };
    expect(await get(iago, hamlet.id)).toEqual(status);
    expect(await statuses(iago)).toEqual({ [hamlet.id]: status });
    await set(hamlet, { status_text: '', emoji_name: '' });
    expect(await get(iago, hamlet.id)).toEqual({});
    expect(await statuses(iago)).toEqual({});
    const none = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };
    const common = { type: 'user_status', user_id: hamlet.id };
    const told = [{ status_text: 'on vacation' }, emoji, none].map((change) => ({ ...common, ...change }));
    expect(await queue.read()).toEqual(told);
  });

  it('adds the code of an emoji given by name, and accepts both names of the special emoji type', async () => {
    await set(bot, { emoji_name: 'car' });
    expect(await get(iago, bot.id)).toMatchObject({ emoji_code: '1f697', reaction_type: 'unicode_emoji' });
    await set(bot, { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'service_extra_emoji' });
    expect(await get(iago, bot.id)).toMatchObject({ emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' });
  });

  it('accepts custom emoji and emoji of several code points', async () => {
    const picked = multipart([{ name: 'tick.png', content: await picture(20, 20) }]);
    expect((await iago.client.post('/api/v1/realm/emoji/green_tick', picked)).status).toBe(200);
    const form = { fetch_event_types: '["realm_emoji"]', event_types: '[]' };
    const { body } = await bot.client.post<{ realm_emoji: Json }>('/api/v1/register', { form });
    const [emoji_code = ''] = Object.keys(body.realm_emoji);
    const tick = { emoji_name: 'green_tick', emoji_code, reaction_type: 'realm_emoji' };
    for (const sent of [{ emoji_name: 'green_tick' }, tick]) {
      await set(bot, { emoji_name: '' });
      expect(await set(bot, sent)).toEqual({ result: 'success', msg: '' });
      expect(await get(iago, bot.id)).toEqual(tick);
    }
    const flag = { emoji_name: 'de', emoji_code: '1f1e9-1f1ea', reaction_type: 'unicode_emoji' };
    expect(await set(bot, flag)).toEqual({ result: 'success', msg: '' });
    expect(await get(iago, bot.id)).toEqual(flag);
  });

  it('changes presence_enabled when the request contains the older parameter `away`', async () => {
    const types = ['user_settings', 'user_status'];
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, types),
      openTestEventQueue(chat, iago, types),
    ]);
    await set(hamlet, { away: 'true' });
    expect(await get(iago, hamlet.id)).toEqual({ away: true });
    expect(await statuses(iago)).toMatchObject({ [hamlet.id]: { away: true } });
    await set(hamlet, { away: 'false' });
    const common = { type: 'user_status', user_id: hamlet.id };
    expect(await others.read()).toEqual([
      { ...common, away: true },
      { ...common, away: false },
    ]);
    const setting = { type: 'user_settings', op: 'update', property: 'presence_enabled' };
    expect(await own.read()).toEqual([
      { ...setting, value: false },
      { ...common, away: true },
      { ...setting, value: true },
      { ...common, away: false },
    ]);
  });

  it('limits the text to 60 code points', async () => {
    expect((await set(hamlet, { status_text: '🦉'.repeat(60) }))['msg']).toBe('');
    expect(await set(hamlet, { status_text: '🦉'.repeat(61) })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'status_text is too long (limit: 60 characters)',
    });
  });

  const nameless = 'Client must pass emoji_name if they pass either emoji_code or reaction_type.';
  const wrong = { emoji_name: 'car', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };
  const unknown = { emoji_name: 'mine', emoji_code: '99999', reaction_type: 'realm_emoji' };
  it.each<[name: string, form: Record<string, string>, msg: string]>([
    ['no new value', {}, 'Client did not pass any new values.'],
    ['a code without a name', { emoji_code: '1f697' }, nameless],
    ['a kind without a name', { status_text: 'x', reaction_type: 'unicode_emoji' }, nameless],
    ['an unknown emoji', { emoji_name: 'no_such_emoji' }, "Emoji 'no_such_emoji' does not exist"],
    ['a name of another emoji', wrong, 'Invalid emoji name.'],
    ['an unknown custom emoji', unknown, 'Invalid custom emoji.'],
    ['an unknown kind', { ...wrong, reaction_type: 'sticker' }, 'Invalid emoji type.'],
  ])('rejects an invalid status: %s', async (_name, form, msg) => {
    expect(await set(hamlet, form)).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('lets administrators set the status of other users', async () => {
    const path = `/api/v1/users/${hamlet.id}/status`;
    const form = { status_text: 'ill' };
    expect((await iago.client.post<Json>(path, { form })).body['msg']).toBe('');
    expect(await get(hamlet, hamlet.id)).toMatchObject({ status_text: 'ill' });
    expect((await hamlet.client.post<Json>(path, { form })).body['code']).toBe('UNAUTHORIZED_PRINCIPAL');
    expect((await iago.client.get<Json>('/api/v1/users/999999/status')).body['msg']).toBe('No such user');
  });
});
