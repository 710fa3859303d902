import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let bot: DemoUser;
let verona: number;
let coreTeam: number;

type Json = Record<string, unknown>;
const path = '/api/v1/drafts';

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, bot] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago'), signIn(chat, 'default-bot')]);
  [verona, coreTeam] = await Promise.all([channelId('Verona'), channelId('core team')]);
});
afterAll(() => cluster.stop());

async function channelId(stream: string): Promise<number> {
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream } });
  return body.stream_id;
}

const draftWithoutRecipient = { type: '', to: [], topic: '', content: 'begun' };

async function add(user: DemoUser, drafts: readonly Json[]) {
  const { body } = await user.client.post<{ ids: number[]; code?: string; msg: string }>(path, {
    form: { drafts: JSON.stringify(drafts) },
  });
  return body;
}

async function list(user: DemoUser): Promise<Json[]> {
  const { body } = await user.client.get<{ count: number; drafts: Json[] }>(path);
  expect(body.count).toBe(body.drafts.length);
  return body.drafts;
}

describe('POST, PATCH and DELETE /drafts', () => {
  it('emit stored drafts only to clients of the user', async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['drafts']),
      openTestEventQueue(chat, iago, ['drafts']),
    ]);
    const sent = [
      { type: 'stream', to: [verona], topic: ' a topic ', content: 'for a channel', timestamp: 1_595_479_019 },
      { type: 'private', to: [iago.id, bot.id], topic: 'ignored', content: 'for two', timestamp: 1_595_479_020 },
      { type: '', to: [1, 2, 3], topic: 'ignored', content: 'for nobody', timestamp: 1_595_479_021.5 },
    ];
    const { ids } = await add(hamlet, sent);
    const stored = [
      { id: ids[0], ...sent[0], topic: 'a topic' },
      { id: ids[1], ...sent[1], topic: '' },
      { id: ids[2], ...sent[2], to: [], topic: '', timestamp: 1_595_479_021 },
    ];
    expect(await list(hamlet)).toEqual(stored);
    expect(await own.read()).toEqual([{ type: 'drafts', op: 'add', drafts: stored }]);
    expect(await others.read()).toEqual([]);
  });

  it("set the server's time for drafts without a timestamp, and sort drafts by timestamp", async () => {
    const before = Math.floor(Date.now() / 1000);
    await add(bot, [
      draftWithoutRecipient,
      { ...draftWithoutRecipient, timestamp: 4_000_000_000 },
      { ...draftWithoutRecipient, timestamp: 0 },
    ]);
    const [first, second, third] = await list(bot);
    expect(first).toMatchObject({ timestamp: 0 });
    expect(second?.['timestamp']).toBeGreaterThanOrEqual(before);
    expect(third).toMatchObject({ timestamp: 4_000_000_000 });
  });

  it('truncate drafts to the maximum length of messages', async () => {
    const long = { type: 'stream', to: [verona], topic: 'x'.repeat(70), content: 'y'.repeat(10_001) };
    const { ids } = await add(hamlet, [long]);
    const draft = (await list(hamlet)).find(({ id }) => id === ids[0]);
    expect(draft?.['topic']).toBe(`${'x'.repeat(57)}...`);
    expect(String(draft?.['content'])).toMatch(/\n\[message truncated\]$/);
    expect(String(draft?.['content'])).toHaveLength(10_000);
  });

  it('store either all drafts of a list or none', async () => {
    const before = await list(hamlet);
    expect(await add(hamlet, [draftWithoutRecipient, { ...draftWithoutRecipient, type: 'stream' }])).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Must specify exactly one channel ID for channel messages',
    });
    expect(await list(hamlet)).toEqual(before);
    expect((await add(hamlet, [])).ids).toEqual([]);
    expect((await hamlet.client.post<{ ids: number[] }>(path)).body.ids).toEqual([]);
  });

  it.each([
    ['two channels', { type: 'stream', to: [1, 2] }, 'Must specify exactly one channel ID for channel messages'],
    ['a channel that is not there', { type: 'stream', to: [999_999] }, 'Invalid channel ID'],
    ['a person who is not there', { type: 'private', to: [999_999] }, 'Invalid user ID 999999'],
    ['an unknown type', { type: 'direct' }, 'Invalid drafts[0]["type"]'],
    ['no list of ids', { to: 'Verona' }, 'drafts[0]["to"] is not a list'],
    ['a null byte', { content: 'a\u0000b' }, 'drafts must not contain null bytes'],
    ['a null byte in the topic', { topic: 'a\u0000b' }, 'drafts must not contain null bytes'],
    ['no ids', { to: undefined }, 'to key is missing from drafts[0]'],
    ['no topic', { topic: undefined }, 'topic key is missing from drafts[0]'],
    ['ids that are none', { to: ['Verona'] }, 'drafts[0]["to"][0] is not an integer'],
    ['a time that is a text', { timestamp: 'now' }, 'drafts[0]["timestamp"] is not an integer'],
    ['a time that is none', { timestamp: -1 }, 'Invalid drafts[0]["timestamp"]'],
    ['another key', { id: 4 }, 'Unexpected keys in drafts[0]: id'],
    ['no type', { type: undefined }, 'type key is missing from drafts[0]'],
    ['no content', { content: undefined }, 'content key is missing from drafts[0]'],
  ])('reject an invalid draft: %s', async (_name, change, msg) => {
    expect(await add(hamlet, [{ ...draftWithoutRecipient, ...change }])).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('respond for a hidden channel as for a nonexistent channel', async () => {
    const draft = { ...draftWithoutRecipient, type: 'stream', to: [coreTeam] };
    expect((await add(hamlet, [draft])).ids).toHaveLength(1);
    expect(await add(await signIn(chat, 'cordelia'), [draft])).toMatchObject({ msg: 'Invalid channel ID' });
  });

  it('let only the author replace and delete a draft', async () => {
    const { ids } = await add(hamlet, [draftWithoutRecipient]);
    const [id] = ids;
    const queue = await openTestEventQueue(chat, hamlet, ['drafts']);
    const draft = { type: 'private', to: [iago.id], topic: '', content: 'further', timestamp: 1_600_000_000 };
    const form = { draft: JSON.stringify(draft) };
    const missing = { code: 'NOT_FOUND', msg: 'Draft does not exist' };
    expect(await iago.client.patch(`${path}/${id}`, { form })).toMatchObject({ status: 404, body: missing });
    expect(await iago.client.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: missing });
    expect((await hamlet.client.patch<Json>(`${path}/${id}`, { form })).body).toEqual({ result: 'success', msg: '' });
    await hamlet.client.delete(`${path}/${id}`);
    expect(await hamlet.client.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: missing });
    expect(await queue.read()).toEqual([
      { type: 'drafts', op: 'update', draft: { id, ...draft } },
      { type: 'drafts', op: 'remove', draft_id: id },
    ]);
  });

  it('require that the user enables draft synchronization', async () => {
    const zoe = await signIn(chat, 'ZOE');
    const { ids } = await add(zoe, [draftWithoutRecipient]);
    const off = `{"enable_drafts_synchronization": false}`;
    await chat.runtime.database.query('UPDATE users SET settings = $2 WHERE id = $1', [zoe.id, off]);
    const refusal = { code: 'BAD_REQUEST', msg: 'User has disabled synchronizing drafts.' };
    expect(await add(zoe, [draftWithoutRecipient])).toMatchObject(refusal);
    expect((await zoe.client.delete(`${path}/${ids[0]}`)).body).toMatchObject(refusal);
    const form = { draft: JSON.stringify(draftWithoutRecipient) };
    expect((await zoe.client.patch(`${path}/${ids[0]}`, { form })).body).toMatchObject(refusal);
  });
});

describe('GET /drafts', () => {
  it.each([200, 201])('lists %i drafts in the order of their last change, like POST /register', async (number) => {
    const othello = await signIn(chat, 'othello');
    await chat.runtime.database.query('DELETE FROM drafts WHERE user_id = $1', [othello.id]);
    const sent = Array.from({ length: number }, (_, n) => ({
      type: 'private',
      to: [iago.id],
      topic: '',
      content: `"${n}" \u{1f642}`,
      timestamp: 1_600_000_000 - n,
    }));
    const { ids } = await add(othello, sent);
    const expected = sent.map((draft, n) => ({ id: ids[n], ...draft })).toReversed();
    expect(await list(othello)).toEqual(expected);
    const form = { fetch_event_types: '["drafts"]' };
    const { body } = await othello.client.post<{ drafts: Json[] }>('/api/v1/register', { form });
    expect(body.drafts).toEqual(expected);
  });
});
