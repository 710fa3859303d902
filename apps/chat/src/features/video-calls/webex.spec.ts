import { FakeClock } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { type Mood, videoServer, type VideoServer } from '../../../test/video-providers.js';

let cluster: ChatCluster;
let bare: ChatProcess;
let chat: ChatProcess;
let clock: FakeClock;
let server: VideoServer;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await videoServer();
  clock = new FakeClock(Date.now());
  [bare, chat] = await Promise.all([cluster.start(), cluster.start(server.env, clock)]);
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(async () => {
  await cluster.stop();
  await server.close();
});
afterEach(async () => {
  server.mood = 'well';
  await chat.runtime.database.query('DELETE FROM video_call_tokens');
});

interface ResponseBody {
  url: string;
  msg: string;
  code: string;
}

async function browse(): Promise<{ cookie: string }> {
  const form = { username: 'hamlet@example.com' };
  const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { form });
  return { cookie: /sessionid=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '' };
}

/** Requests the redirect to a video-call provider's authorization page. Returns the URL of the authorization page. */
async function setOut(browser: object, provider = 'webex'): Promise<URL> {
  const { status, headers } = await chat.client.get(`/calls/${provider}/register`, { headers: { ...browser } });
  expect(status).toBe(302);
  return new URL(String(headers['location']), 'http://localhost');
}

function comeBack(browser: object, query: Record<string, string>, provider = 'webex') {
  return chat.client.get<ResponseBody>(`/calls/${provider}/complete`, { headers: { ...browser }, query });
}

async function connect(provider = 'webex'): Promise<void> {
  const browser = await browse();
  const state = (await setOut(browser, provider)).searchParams.get('state') ?? '';
  expect((await comeBack(browser, { code: 'good', state }, provider)).status).toBe(200);
}

function call(user = hamlet, path = 'webex') {
  return user.client.post<ResponseBody>(`/api/v1/calls/${path}/create`, { form: {} });
}

async function register(): Promise<Record<string, unknown>> {
  const form = { fetch_event_types: '["video_calls"]', event_types: '[]' };
  return (await hamlet.client.post<Record<string, unknown>>('/api/v1/register', { form })).body;
}

const invalidToken = {
  status: 400,
  body: { code: 'INVALID_VIDEO_CALL_PROVIDER_TOKEN', msg: 'Invalid Webex access token' },
};
const refused = (msg: string) => ({ status: 400, body: { code: 'BAD_REQUEST', msg } });

describe('POST /calls/webex/create', () => {
  it('returns the URL of a meeting of 40 minutes after the user connected Webex', async () => {
    expect(await call()).toMatchObject(invalidToken);
    await connect();
    const { body } = await call();
    expect(body.url).toBe(`https://webex.test/m/${server.meetings.length}`);
    const start = new Date(clock.now()).toISOString();
    const end = new Date(clock.now() + 2_400_000).toISOString();
    expect(server.meetings.at(-1)).toMatchObject({ title: 'Webex meeting', start, end });
  });

  it('creates calls by Webex when the organization has selected Webex', async () => {
    await connect();
    const iago = await signIn(chat, 'iago');
    expect((await iago.client.patch('/api/v1/realm', { form: { video_chat_provider: '8' } })).status).toBe(200);
    expect((await call(hamlet, 'vcall')).body.url).toMatch(/^https:\/\/webex\.test\//);
    await iago.client.patch('/api/v1/realm', { form: { video_chat_provider: '1' } });
  });

  it('emits has_webex_token to the clients of the user, independently of Zoom', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['has_webex_token', 'has_zoom_token']);
    await connect();
    expect(await register()).toMatchObject({ has_webex_token: true, has_zoom_token: false });
    await connect('zoom');
    expect(await register()).toMatchObject({ has_webex_token: true, has_zoom_token: true });
    server.grant = null;
    expect(await call()).toMatchObject(invalidToken);
    expect(await register()).toMatchObject({ has_webex_token: false, has_zoom_token: true });
    expect(await queue.read()).toEqual([
      { type: 'has_webex_token', value: true },
      { type: 'has_zoom_token', value: true },
      { type: 'has_webex_token', value: false },
    ]);
  });

  it('refreshes an expired token', async () => {
    await connect();
    await clock.advanceTime(3_590_000);
    expect((await call()).body.msg).toBe('');
    expect(server.grants.at(-1)?.get('grant_type')).toBe('refresh_token');
  });

  it.each<Mood>(['hanging up', 'talking nonsense', 'failing', 'refusing the app'])(
    'returns an error and retains the token while Webex is %s',
    async (mood) => {
      await connect();
      await clock.advanceTime(3_600_000);
      server.mood = mood;
      expect(await call()).toMatchObject(refused('Failed to create Webex call'));
      expect(await register()).toMatchObject({ has_webex_token: true });
    },
  );

  it('requires a configured Webex app', async () => {
    const own = await signIn(bare, 'hamlet');
    expect(await call(own)).toMatchObject(refused('Webex is not configured.'));
  });
});

describe('GET /calls/webex/register and GET /calls/webex/complete', () => {
  it('redirect to Webex with the scopes for meetings, and accept only states of Webex', async () => {
    const browser = await browse();
    const page = await setOut(browser);
    expect(page.href.split('?')[0]).toBe(`${server.url}/v1/authorize`);
    const { state = '', ...query } = Object.fromEntries(page.searchParams);
    expect(query).toMatchObject({ client_id: 'test-app', scope: 'meeting:schedules_read meeting:schedules_write' });
    const atZoom = await comeBack(browser, { code: 'good', state }, 'zoom');
    expect(atZoom).toMatchObject(refused('Invalid Zoom session identifier'));
    const done = await comeBack(browser, { code: 'good', state });
    expect(done.text).toContain('Webex is connected');
    expect(await comeBack(browser, { code: 'good', state })).toMatchObject(refused('Invalid Webex session identifier'));
  });
});
