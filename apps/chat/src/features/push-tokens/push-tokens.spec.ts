import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

interface ResponseBody {
  readonly code: string;
  readonly msg: string;
}

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ PUSH_TOKENS_PER_USER: '3' });
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

const apple = '/api/v1/users/me/apns_device_token';
const google = '/api/v1/users/me/android_gcm_reg_id';
const appid = 'org.zulip.Zulip';

async function send(method: 'post' | 'delete', path: string, form: Record<string, string>, user = hamlet) {
  return (await user.client[method]<ResponseBody>(path, { form })).body;
}

const storedTokens = async (user: DemoUser) => {
  const { rows } = await chat.runtime.database.query<{ kind: string; token_sealed: string; ios_app_id: string }>(
    'SELECT kind, token_sealed, ios_app_id FROM push_tokens WHERE user_id = $1 ORDER BY id',
    [user.id],
  );
  return rows;
};

describe.each([
  [apple, 'apns', { appid }],
  [google, 'fcm', {}],
])('push token endpoint %s', (path, kind, extra) => {
  it('stores a token encrypted and only once, until the user removes the token', async () => {
    const form = { token: 'c29tZSB0b2tlbg==', ...extra };
    expect(await send('post', path, form)).toEqual({ result: 'success', msg: '' });
    expect(await send('post', path, form)).toEqual({ result: 'success', msg: '' });
    const stored = await storedTokens(hamlet);
    expect(stored.map((row) => row.kind)).toEqual([kind]);
    expect(stored[0]?.token_sealed).not.toContain(form.token);
    expect(chat.runtime.apiKeys.decryptStoredApiKey(hamlet.id, stored[0]?.token_sealed ?? '')).toBe(form.token);
    const removal = { token: form.token };
    const missing = { code: 'BAD_REQUEST', msg: 'Token does not exist' };
    expect(await send('delete', path, removal, iago)).toMatchObject(missing);
    expect(await send('delete', path, removal)).toEqual({ result: 'success', msg: '' });
    expect(await send('delete', path, removal)).toMatchObject(missing);
    expect(await storedTokens(hamlet)).toEqual([]);
  });

  it.each(['', 'x'.repeat(4097)])('rejects a token that is empty or too long', async (token) => {
    for (const method of ['post', 'delete'] as const) {
      expect((await send(method, path, { token, ...extra })).msg).toBe('Empty or invalid length token');
    }
  });
});

describe('POST /users/me/apns_device_token', () => {
  it('rejects a token that is not valid hexadecimal, and a malformed app id', async () => {
    expect((await send('post', apple, { token: 'abcde', appid })).msg).toBe('Invalid APNS token');
    expect((await send('post', apple, { token: 'abcd', appid: 'a b' })).msg).toBe('Invalid appid');
  });
});

describe('POST /users/me/android_gcm_reg_id', () => {
  it('removes the oldest token when the user exceeds the limit of tokens', async () => {
    for (const token of ['one', 'two', 'three', 'four']) await send('post', google, { token }, iago);
    const stored = await storedTokens(iago);
    const tokens = stored.map((row) => chat.runtime.apiKeys.decryptStoredApiKey(iago.id, row.token_sealed));
    expect(tokens).toEqual(['two', 'three', 'four']);
  });
});

describe('POST /mobile_push', () => {
  it('rejects registrations and test notifications, because the server has no push service', async () => {
    await send('post', google, { token: 'known' });
    const notConfigured = { code: 'PUSH_SERVICE_NOT_CONFIGURED' };
    expect(await send('post', '/api/v1/mobile_push/register', { device_id: '1' })).toMatchObject(notConfigured);
    const test = '/api/v1/mobile_push/test_notification';
    expect(await send('post', test, {})).toMatchObject(notConfigured);
    expect(await send('post', test, { token: 'known' })).toMatchObject(notConfigured);
    const unknown = { code: 'INVALID_PUSH_DEVICE_TOKEN', msg: 'Device not recognized' };
    expect(await send('post', test, { token: 'known' }, iago)).toMatchObject(unknown);
    const encrypted = await send('post', '/api/v1/mobile_push/e2ee/test_notification', {});
    expect(encrypted).toMatchObject({ code: 'NO_ACTIVE_PUSH_DEVICE', msg: 'No active registered push device' });
  });
});
