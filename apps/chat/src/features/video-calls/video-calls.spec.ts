import { FakeClock } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { isChecked, type Mood, videoServer, type VideoServer } from '../../../test/video-providers.js';

let cluster: ChatCluster;
/** A chat process for tests without a configured video-call provider. */
let bare: ChatProcess;
let chat: ChatProcess;
let clock: FakeClock;
let server: VideoServer;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await videoServer();
  clock = new FakeClock(Date.now());
  [bare, chat] = await Promise.all([cluster.start(), cluster.start(server.env, clock)]);
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(async () => {
  await cluster.stop();
  await server.close();
});
afterEach(async () => {
  server.mood = 'well';
  await chat.runtime.database.query(
    "UPDATE realms SET settings = settings - 'video_chat_provider' - 'jitsi_server_url'",
  );
  await chat.runtime.database.query('DELETE FROM video_call_tokens');
});

interface ResponseBody {
  url: string;
  msg: string;
  code: string;
}

/** Returns the cookie of a browser that is signed in to a demo account. */
async function browse(name: string): Promise<{ cookie: string }> {
  const form = { username: `${name}@example.com` };
  const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { form });
  return { cookie: /sessionid=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '' };
}

async function follow(browser: object, path: string, query = {}): Promise<URL> {
  const { status, headers } = await chat.client.get(path, { headers: { ...browser }, query });
  expect(status).toBe(302);
  return new URL(String(headers['location']), 'http://localhost');
}

/** Requests the redirect to Zoom's authorization page. Returns the OAuth state that Zoom must send back. */
async function setOut(browser: object): Promise<string> {
  return (await follow(browser, '/calls/zoom/register')).searchParams.get('state') ?? '';
}

function comeBack(browser: object, query: Record<string, string>) {
  return chat.client.get<ResponseBody>('/calls/zoom/complete', { headers: { ...browser }, query });
}

async function connect(name: string): Promise<void> {
  const browser = await browse(name);
  expect((await comeBack(browser, { code: 'good', state: await setOut(browser) })).status).toBe(200);
}

function call(user: DemoUser, form: Record<string, string> = {}, path = 'zoom') {
  return user.client.post<ResponseBody>(`/api/v1/calls/${path}/create`, { form });
}

async function register(user: DemoUser): Promise<Record<string, unknown>> {
  const form = { fetch_event_types: '["realm","video_calls"]', event_types: '[]' };
  return (await user.client.post<Record<string, unknown>>('/api/v1/register', { form })).body;
}

const invalidToken = { status: 400, body: { code: 'INVALID_ZOOM_TOKEN', msg: 'Invalid Zoom access token' } };
const refused = (msg: string) => ({ status: 400, body: { code: 'BAD_REQUEST', msg } });
const noState = refused('Invalid Zoom session identifier');

describe('POST /calls/zoom/create', () => {
  it('returns a URL after the user connected Zoom, under the old and the new path', async () => {
    for (const path of ['zoom', 'vcall']) expect(await call(hamlet, {}, path)).toMatchObject(invalidToken);
    await connect('hamlet');
    const before = server.meetings.length;
    const first = await call(hamlet);
    const second = await call(hamlet, { is_video_call: 'false' }, 'vcall');
    expect([first.body.url, second.body.url]).toEqual([1, 2].map((more) => `https://zoom.test/j/${before + more}`));
    expect(server.meetings.slice(before)).toMatchObject(
      [true, false].map((video) => ({ settings: { host_video: video, participant_video: video } })),
    );
    expect(await call(iago)).toMatchObject(invalidToken);
  });

  it("emits only to the user's clients that the user can create Zoom calls, under the requested field name", async () => {
    const [own, old, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['has_zoom_token']),
      openTestEventQueue(chat, hamlet, ['has_vcall_token']),
      openTestEventQueue(chat, iago, ['has_zoom_token', 'has_vcall_token']),
    ]);
    expect(await register(hamlet)).toMatchObject({ has_zoom_token: false, has_vcall_token: false });
    await connect('hamlet');
    expect(await register(hamlet)).toMatchObject({ has_zoom_token: true, has_vcall_token: true });
    server.grant = null;
    await call(hamlet);
    expect(await register(hamlet)).toMatchObject({ has_zoom_token: false, has_vcall_token: false });
    const values = [{ value: true }, { value: false }];
    expect(await own.read()).toEqual(values.map((each) => ({ type: 'has_zoom_token', ...each })));
    expect(await old.read()).toEqual(values.map((each) => ({ type: 'has_vcall_token', ...each })));
    expect(await others.read()).toEqual([]);
  });

  it('refreshes an expired token once for concurrent requests', async () => {
    await connect('hamlet');
    await call(hamlet);
    const before = server.grants.length;
    await clock.advanceTime(3_590_000);
    expect((await call(hamlet)).body.msg).toBe('');
    expect((await call(hamlet)).body.msg).toBe('');
    expect(server.grants.slice(before).map((form) => form.get('grant_type'))).toEqual(['refresh_token']);
    await clock.advanceTime(3_590_000);
    await Promise.all([1, 2, 3].map(() => call(hamlet)));
    expect((await call(hamlet)).body.msg).toBe('');
    expect(await register(hamlet)).toMatchObject({ has_zoom_token: true });
  });

  it('returns an error and deletes the token when Zoom rejects the token', async () => {
    for (const isExpired of [false, true]) {
      await connect('hamlet');
      server.grant = null;
      if (isExpired) await clock.advanceTime(3_600_000);
      expect(await call(hamlet)).toMatchObject(invalidToken);
      const { rows } = await chat.runtime.database.query('SELECT 1 FROM video_call_tokens');
      expect(rows).toEqual([]);
    }
  });

  it('deletes the Zoom token of an account that is deactivated', async () => {
    await connect('cordelia');
    const { id } = await signIn(chat, 'cordelia');
    expect((await iago.client.delete(`/api/v1/users/${id}`)).status).toBe(200);
    expect((await chat.runtime.database.query('SELECT 1 FROM video_call_tokens')).rows).toEqual([]);
    expect((await iago.client.post(`/api/v1/users/${id}/reactivate`)).status).toBe(200);
    expect(await register(await signIn(chat, 'cordelia'))).toMatchObject({ has_zoom_token: false });
  });

  it.each<Mood>(['hanging up', 'talking nonsense', 'failing', 'refusing the app'])(
    'returns an error without further requests while Zoom is %s',
    async (mood) => {
      await connect('hamlet');
      await clock.advanceTime(3_600_000);
      server.mood = mood;
      expect(await call(hamlet)).toMatchObject(refused('Failed to create Zoom call'));
      const browser = await browse('iago');
      const state = await setOut(browser);
      expect(await comeBack(browser, { code: 'good', state })).toMatchObject(refused('Failed to connect to Zoom'));
      server.mood = 'well';
      expect((await call(hamlet)).body.msg).toBe('');
    },
  );

  it('rejects bots and organizations without video calls', async () => {
    const bot = await signIn(chat, 'default-bot');
    expect(await call(bot)).toMatchObject(refused('This endpoint does not accept bot requests.'));
    await iago.client.patch('/api/v1/realm', { form: { video_chat_provider: '0' } });
    expect(await call(hamlet)).toMatchObject(refused('Video calls are disabled in this organization.'));
  });
});

describe('Zoom OAuth', () => {
  it('redirects to Zoom and then back to a page of this server', async () => {
    const browser = await browse('hamlet');
    const page = await follow(browser, '/calls/zoom/register');
    expect(page.href.split('?')[0]).toBe(`${server.url}/oauth/authorize`);
    const { state, ...query } = Object.fromEntries(page.searchParams);
    const back = expect.stringMatching(/^http:\/\/[^/]+\/calls\/zoom\/complete$/);
    expect(query).toEqual({ response_type: 'code', client_id: 'test-app', redirect_uri: back });
    const { status, headers, text } = await comeBack(browser, { code: 'good', state: state ?? '' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text).toContain('Zoom is connected');
  });

  it('accepts each state only once', async () => {
    const browser = await browse('hamlet');
    const state = await setOut(browser);
    const denied = await comeBack(browser, { state });
    expect(denied).toMatchObject(refused('Invalid Zoom credentials'));
    expect(await comeBack(browser, { code: 'good', state })).toMatchObject(noState);
    const other = await setOut(browser);
    expect(await comeBack(browser, { code: 'bad', state: other })).toMatchObject(refused('Invalid Zoom credentials'));
    expect(await comeBack(browser, { code: 'good', state: other })).toMatchObject(noState);
  });

  it('rejects a state of another account or session', async () => {
    const [own, again, others] = await Promise.all([browse('hamlet'), browse('hamlet'), browse('iago')]);
    const state = await setOut(own);
    await setOut(others);
    for (const browser of [again, others]) {
      expect(await comeBack(browser, { code: 'good', state })).toMatchObject(noState);
    }
    expect(await comeBack(own, { code: 'good' })).toMatchObject(noState);
    expect((await comeBack(own, { code: 'good', state })).status).toBe(200);
    expect(await register(iago)).toMatchObject({ has_zoom_token: false });
  });

  it('rejects a state that is older than ten minutes', async () => {
    const browser = await browse('hamlet');
    const late = await setOut(browser);
    await clock.advanceTime(600_000);
    expect(await comeBack(browser, { code: 'good', state: late })).toMatchObject(noState);
    const state = await setOut(browser);
    await clock.advanceTime(599_000);
    expect((await comeBack(browser, { code: 'good', state })).status).toBe(200);
  });

  it('requires a session, and redirects to the login page first', async () => {
    const { pathname, searchParams } = await follow({}, '/calls/zoom/register');
    expect({ pathname, next: searchParams.get('next') }).toEqual({
      pathname: '/accounts/login/',
      next: '/calls/zoom/register',
    });
    expect((await comeBack({}, { code: 'good', state: 'x' })).status).toBe(401);
    const headers = await browse('hamlet');
    expect(await bare.client.get('/calls/zoom/register', { headers })).toMatchObject(
      refused('Zoom is not configured.'),
    );
  });

  it('deletes the token when the profile is deleted', async () => {
    const prospero = await signIn(chat, 'prospero');
    await connect('prospero');
    const form = { actions: '{"delete_profile": true}' };
    expect((await iago.client.delete(`/api/v1/users/${prospero.id}`, { form })).status).toBe(200);
    expect((await chat.runtime.database.query('SELECT 1 FROM video_call_tokens')).rows).toEqual([]);
  });

  it('stores no plain token or state in the database or the log', async () => {
    const browser = await browse('hamlet');
    const state = await setOut(browser);
    const stored = async () => {
      const { rows } = await chat.runtime.database.query<{ row: string }>(
        'SELECT a::text AS row FROM video_call_authorizations a UNION ALL SELECT t::text FROM video_call_tokens t',
      );
      return rows.map(({ row }) => row).join();
    };
    expect(await stored()).not.toBe('');
    expect(await stored()).not.toContain(state);
    await comeBack(browser, { code: 'good', state });
    const kept = await stored();
    expect(kept).toContain(`${hamlet.id},v1.`);
    server.mood = 'failing';
    await call(hamlet);
    const log = cluster.log.join('');
    expect(log).toContain('Zoom responded with status 503');
    for (const secret of [server.grant?.access, server.grant?.refresh, state, 'test-app-secret']) {
      expect(kept).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
    // A token that was moved to the row of another account cannot be decrypted.
    await chat.runtime.database.query('UPDATE video_call_tokens SET user_id = $1', [iago.id]);
    expect(await call(iago)).toMatchObject(invalidToken);
  });
});

describe('POST and GET /calls/bigbluebutton', () => {
  const path = '/api/v1/calls/bigbluebutton/create';
  const create = (user: DemoUser, query: Record<string, string>) => user.client.get<ResponseBody>(path, { query });

  it('create the BigBlueButton meeting when the first user joins, and make the creator of the call the moderator', async () => {
    const { url } = (await create(hamlet, { meeting_name: 'Größe & Ziel', voice_only: 'true' })).body;
    const link = new URL(url, 'http://localhost');
    const query = Object.fromEntries(link.searchParams);
    const roles: Record<string, string> = {};
    for (const name of ['iago', 'hamlet']) {
      const { pathname, search, searchParams } = await follow(await browse(name), link.pathname, query);
      expect(pathname).toBe('/bigbluebutton/api/join');
      expect(isChecked('join', search.slice(1))).toBe(true);
      roles[searchParams.get('fullName') ?? ''] = searchParams.get('role') ?? '';
    }
    expect(roles).toEqual({ Iago: 'VIEWER', 'King Hamlet': 'MODERATOR' });
    const rooms = server.rooms.map((room) => Object.fromEntries(room));
    const { meeting_id: meetingID } = query;
    expect(rooms.at(-1)).toMatchObject({ meetingID, name: 'Größe & Ziel', lockSettingsDisableCam: 'true' });
    const visitor = await follow({}, link.pathname, query);
    expect(visitor.pathname).toBe('/accounts/login/');
    expect(visitor.searchParams.get('next')).toMatch(/^\/calls\/bigbluebutton\/join\?meeting_id=/);
  });

  it('reject a meeting link that was changed', async () => {
    const { url } = (await create(hamlet, { meeting_name: 'Plan' })).body;
    const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
    const headers = await browse('iago');
    for (const change of [{ name: 'Other' }, { moderator: iago.id }, { voice_only: true }, { checksum: 'x' }]) {
      const response = chat.client.get('/calls/bigbluebutton/join', { headers, query: { ...query, ...change } });
      expect(await response).toMatchObject(refused('Invalid meeting link'));
    }
  });

  it.each<Mood>(['hanging up', 'talking nonsense', 'failing'])(
    'respond with an error while the BigBlueButton server is %s',
    async (mood) => {
      const link = new URL((await create(hamlet, { meeting_name: 'Plan' })).body.url, 'http://localhost');
      server.mood = mood;
      const query = Object.fromEntries(link.searchParams);
      const response = await chat.client.get(link.pathname, { headers: await browse('iago'), query });
      expect(response).toMatchObject(refused('Failed to create BigBlueButton meeting'));
    },
  );

  it('require a configured BigBlueButton server', async () => {
    const query = { meeting_name: 'Plan' };
    const own = await signIn(bare, 'hamlet');
    expect(await own.client.get(path, { query })).toMatchObject(refused('BigBlueButton is not configured.'));
  });
});

describe('PATCH /realm: video_chat_provider and jitsi_server_url', () => {
  const choose = (user: DemoUser, form: Record<string, string>) =>
    user.client.patch<ResponseBody>('/api/v1/realm', { form });

  it('accepts only configured providers', async () => {
    const admin = await signIn(bare, 'iago');
    const always = { disabled: { name: 'None', id: 0 }, jitsi_meet: { name: 'Jitsi Meet', id: 1 } };
    expect(await register(admin)).toMatchObject({ realm_available_video_chat_providers: always });
    expect(await register(iago)).toMatchObject({
      realm_available_video_chat_providers: {
        ...always,
        zoom: { name: 'Zoom', id: 3 },
        big_blue_button: { name: 'BigBlueButton', id: 4 },
        webex: { name: 'Webex', id: 8 },
      },
    });
    expect(await choose(admin, { video_chat_provider: '3' })).toMatchObject(refused('Invalid video_chat_provider 3'));
    expect((await choose(iago, { video_chat_provider: '3' })).status).toBe(200);
    expect(await register(hamlet)).toMatchObject({ realm_video_chat_provider: 3 });
  });

  it('determines the provider of calls that are created later', async () => {
    await connect('hamlet');
    await choose(iago, { video_chat_provider: '4' });
    expect((await call(hamlet, {}, 'vcall')).body.url).toMatch(/^\/calls\/bigbluebutton\/join\?/);
    await choose(iago, { video_chat_provider: '1', jitsi_server_url: 'https://jitsi.test/' });
    const { url } = (await call(hamlet, {}, 'vcall')).body;
    expect(url).toMatch(/^https:\/\/jitsi\.test\/[0-9a-f]{32}#/);
    expect((await call(hamlet, {}, 'vcall')).body.url).not.toBe(url);
    await choose(iago, { video_chat_provider: '3' });
    expect((await call(hamlet, {}, 'vcall')).body.url).toMatch(/^https:\/\/zoom\.test\//);
  });

  it('sets the Jitsi server of the organization, and defaults to the Jitsi server of the operator', async () => {
    const told = { realm_jitsi_server_url: null, jitsi_server_url: 'https://meet.jit.si' };
    expect(await register(hamlet)).toMatchObject({ ...told, server_jitsi_server_url: 'https://meet.jit.si' });
    const operated = await cluster.start({ JITSI_SERVER_URL: 'https://jitsi.operator.test/' });
    const there = await signIn(operated, 'hamlet');
    const server_jitsi_server_url = 'https://jitsi.operator.test';
    expect(await register(there)).toMatchObject({
      realm_jitsi_server_url: null,
      jitsi_server_url: server_jitsi_server_url,
      server_jitsi_server_url,
    });
    expect((await call(there, {}, 'vcall')).body.url).toContain(`${server_jitsi_server_url}/`);
    const jitsi_server_url = 'https://own.test/room';
    expect((await choose(iago, { jitsi_server_url })).body).toMatchObject({ jitsi_server_url });
    expect(await register(there)).toMatchObject({
      realm_jitsi_server_url: jitsi_server_url,
      jitsi_server_url,
      server_jitsi_server_url,
    });
    expect((await choose(iago, { jitsi_server_url: '"default"' })).body).toMatchObject({ jitsi_server_url: null });
    const wrong = await choose(iago, { jitsi_server_url: 'javascript:alert(1)' });
    expect(wrong).toMatchObject(refused('jitsi_server_url is not a URL'));
  });
});
