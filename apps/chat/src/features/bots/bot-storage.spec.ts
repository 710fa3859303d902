import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let bot: DemoUser;
let other: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [bot, other] = await Promise.all([signIn(chat, 'default-bot'), signIn(chat, 'outgoing-webhook')]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  msg: string;
  storage?: Record<string, string>;
}

const path = '/api/v1/bot_storage';
const put = async (actor: DemoUser, storage: unknown): Promise<string> =>
  (await actor.client.put<ResponseBody>(path, { form: { storage: JSON.stringify(storage) } })).body.msg;
const get = async (actor: DemoUser, keys?: readonly string[]): Promise<ResponseBody> =>
  (await actor.client.get<ResponseBody>(path, keys && { query: { keys: JSON.stringify(keys) } })).body;
const remove = async (actor: DemoUser, keys?: readonly string[]): Promise<string> =>
  (await actor.client.delete<ResponseBody>(path, { form: keys ? { keys: JSON.stringify(keys) } : {} })).body.msg;

describe('GET, PUT and DELETE /bot_storage', () => {
  it('read, add, replace and remove entries by key, separately for each bot', async () => {
    expect(await put(bot, { score: '1', turn: 'hamlet' })).toBe('');
    expect(await put(bot, { score: '2' })).toBe('');
    expect((await get(bot)).storage).toEqual({ score: '2', turn: 'hamlet' });
    expect((await get(bot, ['score'])).storage).toEqual({ score: '2' });
    expect((await get(other)).storage).toEqual({});
    expect(await remove(other, ['score'])).toBe('Key does not exist.');
    expect(await remove(bot, ['turn', 'missing'])).toBe('Key does not exist.');
    expect(await remove(bot, ['score', 'score'])).toBe('');
    expect((await get(bot, ['score'])).msg).toBe('Key does not exist.');
    expect(await remove(bot)).toBe('');
    expect((await get(bot)).storage).toEqual({});
  });

  it('limit the entries of a bot to 10,000 characters, also for concurrent requests', async () => {
    const parts = ['a', 'b', 'c', 'd'].map((key) => put(bot, { [key]: 'x'.repeat(2999) }));
    const responses = await Promise.all(parts);
    expect(responses.filter((msg) => msg === '')).toHaveLength(3);
    expect(responses.find((msg) => msg !== '')).toContain('10000');
    expect(Object.keys((await get(bot)).storage ?? {})).toHaveLength(3);
  });

  it('reject values that are not strings', async () => {
    expect(await put(bot, { key: 1 })).toContain('is not a string');
    expect(await put(bot, ['key'])).toContain('is not a dict');
  });
});
