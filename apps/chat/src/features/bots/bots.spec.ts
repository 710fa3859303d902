import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { multipart, picture } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  result: string;
  msg: string;
  code?: string;
  user_id: number;
  api_key: string;
  bots: { username: string; api_key: string }[];
  [field: string]: unknown;
}

type Form = Record<string, string | number | boolean>;

const success = { result: 'success', msg: '' };
const insufficientPermission = { code: 'BAD_REQUEST', msg: 'Insufficient permission' };
const botsRejected = { code: 'BAD_REQUEST', msg: 'This endpoint does not accept bot requests.' };

let made = 0;
const names = () => ({ full_name: `Robot ${++made}`, short_name: `robot${made}` });
const create = async (actor: DemoUser, form: Form = {}): Promise<ResponseBody> =>
  (await actor.client.post<ResponseBody>('/api/v1/bots', { form: { ...names(), ...form } })).body;
const patch = async (actor: DemoUser, id: number, form: Form): Promise<ResponseBody> =>
  (await actor.client.patch<ResponseBody>(`/api/v1/bots/${id}`, { form })).body;
const get = async (actor: DemoUser, path = ''): Promise<ResponseBody> =>
  (await actor.client.get<ResponseBody>(`/api/v1/bots${path}`)).body;
const post = async (actor: DemoUser, path: string): Promise<ResponseBody> =>
  (await actor.client.post<ResponseBody>(`/api/v1/${path}`, { form: {} })).body;
const remove = async (actor: DemoUser, id: number): Promise<ResponseBody> =>
  (await actor.client.delete<ResponseBody>(`/api/v1/bots/${id}`)).body;

/** Returns a client that sends requests with the API key of a bot that the test has created. */
function asBot({ user_id: id, api_key: apiKey }: ResponseBody, number: number): DemoUser {
  const email = `robot${number}-bot@example.com`;
  return { id, email, apiKey, client: chat.client.withHeaders(createBasicAuthorization(email, apiKey)) };
}

describe('POST /bots', () => {
  it('creates a bot with a working key, and emits it to its managers', async () => {
    const others = await openTestEventQueue(chat, cordelia, ['realm_user', 'realm_bot']);
    const queue = await openTestEventQueue(chat, hamlet, ['realm_bot']);
    const response = await create(hamlet, { default_sending_stream: 'Denmark' });
    expect(response).toMatchObject({
      ...success,
      default_sending_stream: 'Denmark',
      default_all_public_streams: false,
    });
    const { body } = await asBot(response, made).client.get<ResponseBody>('/api/v1/users/me');
    expect(body).toMatchObject({ user_id: response.user_id, is_bot: true, bot_owner_id: hamlet.id, role: 400 });
    const bot = {
      user_id: response.user_id,
      email: `robot${made}-bot@example.com`,
      full_name: `Robot ${made}`,
      bot_type: 1,
      is_active: true,
      api_key: response.api_key,
      default_sending_stream: 'Denmark',
      owner_id: hamlet.id,
      services: [],
    };
    expect(await queue.read()).toMatchObject([{ type: 'realm_bot', op: 'add', bot }]);
    expect(await others.read()).toMatchObject([
      { type: 'realm_user', op: 'add', person: { full_name: bot.full_name } },
    ]);
    expect((await get(hamlet)).bots).toContainEqual(
      expect.objectContaining({ username: bot.email, api_key: response.api_key }),
    );
    const snapshot = await hamlet.client.post<{ realm_bots: unknown[] }>('/api/v1/register', {
      form: { fetch_event_types: '["realm_bot"]' },
    });
    expect(snapshot.body.realm_bots).toContainEqual(expect.objectContaining(bot));
  });

  it('does not log the API key', async () => {
    const { api_key: apiKey } = await create(hamlet);
    const { rows } = await chat.runtime.database.query<{ payload: unknown }>(
      "SELECT payload FROM queue.outbox WHERE payload::text LIKE '%realm_bot/add%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(apiKey);
  });

  it('creates a service with URL and token for an outgoing webhook bot', async () => {
    expect(await create(hamlet, { bot_type: 3 })).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'payload_url',
    });
    const queue = await openTestEventQueue(chat, hamlet, ['realm_bot']);
    const response = await create(hamlet, {
      bot_type: 3,
      payload_url: '"https://example.com/hook"',
      interface_type: 2,
    });
    expect(response).toMatchObject(success);
    const service = {
      base_url: 'https://example.com/hook',
      interface: 2,
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
    };
    expect(await queue.read()).toMatchObject([{ op: 'add', bot: { services: [service] } }]);
    const form = { service_payload_url: 'http://example.org/', service_interface: 1 };
    expect(await patch(hamlet, response.user_id, form)).toMatchObject(form);
    expect(await queue.read()).toMatchObject([
      { op: 'update', bot: { services: [{ ...service, base_url: 'http://example.org/', interface: 1 }] } },
    ]);
    expect((await get(hamlet)).bots).toContainEqual(
      expect.objectContaining({ services: [{ ...service, base_url: 'http://example.org/', interface: 1 }] }),
    );
    expect(await patch(hamlet, response.user_id, { service_payload_url: 'nowhere' })).toMatchObject({
      msg: 'payload_url is not a URL',
    });
  });

  it.each([
    [{ bot_type: 3, payload_url: 'ftp://example.com' }, 'payload_url is not a URL'],
    [{ bot_type: 3, payload_url: 'https://me:secret@example.com' }, 'payload_url is not a URL'],
    [{ config_data: '[1]' }, 'config_data is not a dict'],
    [{ config_data: '{"key":"value"}', service_name: 'mine' }, ''],
    [{ bot_type: 4 }, 'Embedded bots are not enabled.'],
    [{ bot_type: 9 }, 'Invalid bot type'],
    [{ short_name: 'a b' }, 'Bad name or username'],
    [{ full_name: 'x' }, 'Name too short!'],
    [{ default_sending_stream: 'nowhere' }, "Invalid channel name 'nowhere'"],
    [{ default_events_register_stream: 'Scotland' }, ''],
  ])('rejects the parameters %j with the message %j', async (form, msg) => {
    expect((await create(hamlet, form)).msg).toBe(msg);
  });

  it('accepts an avatar image for the bot', async () => {
    const queue = await openTestEventQueue(chat, cordelia, ['realm_user']);
    const send = (...files: Buffer[]) => {
      const sent = files.map((content, index) => ({ name: 'bot.png', field: `file${index}`, content }));
      return hamlet.client.post<ResponseBody>('/api/v1/bots', multipart(sent, names()));
    };
    const { body } = await send(await picture(80, 120));
    expect(body).toMatchObject({ ...success, avatar_url: `/avatar/${body.user_id}?version=1` });
    const person = { user_id: body.user_id, avatar_url: body['avatar_url'] };
    expect(await queue.read()).toMatchObject([{ op: 'add', person }]);
    const { headers } = await cordelia.client.get(`/avatar/${body.user_id}`);
    const { statusCode } = await chat.app
      .getHttpAdapter()
      .getInstance()
      .inject({ url: String(headers['location']) });
    expect(statusCode).toBe(200);
    expect((await send(Buffer.from('no picture'))).body).toMatchObject({ code: 'BAD_IMAGE' });
    expect((await send(await picture(9, 9), await picture(9, 9))).body.msg).toContain('only upload one file');
    expect((await send()).body).toMatchObject(success);
  });

  it('creates one bot for concurrent requests with the same email address', async () => {
    const form = { full_name: 'Twin Robot', short_name: 'twin' };
    const responses = await Promise.all([0, 1, 2].map(() => create(hamlet, form)));
    expect(responses.filter(({ result }) => result === 'success')).toHaveLength(1);
    expect(responses.find(({ result }) => result === 'error')?.msg).toBe("Email 'twin-bot@example.com' already in use");
  });

  it('requires permission to create bots, and rejects requests of bots', async () => {
    expect(await create(polonius)).toMatchObject(insufficientPermission);
    expect(await create(asBot(await create(hamlet), made))).toMatchObject(botsRejected);
  });
});

describe('PATCH and DELETE /bots/{id}', () => {
  it('change a bot, and emit the change to its managers', async () => {
    const { user_id: id } = await create(hamlet);
    const queue = await openTestEventQueue(chat, iago, ['realm_bot']);
    const form = {
      full_name: 'Renamed Robot',
      default_events_register_stream: 'Verona',
      default_all_public_streams: true,
    };
    expect(await patch(hamlet, id, form)).toMatchObject({ ...success, ...form, bot_owner_id: hamlet.id });
    expect(await queue.read()).toEqual([{ type: 'realm_bot', op: 'update', bot: { user_id: id, ...form } }]);
    expect(await patch(hamlet, id, { default_events_register_stream: '' })).toMatchObject({
      default_events_register_stream: null,
    });
  });

  it('emit a change of owner to the previous and the new owner', async () => {
    const { user_id: id, api_key: apiKey } = await create(hamlet);
    const [old, next, admin] = await Promise.all(
      [hamlet, cordelia, iago].map((user) => openTestEventQueue(chat, user, ['realm_bot'])),
    );
    expect(await patch(hamlet, id, { bot_owner_id: cordelia.id })).toMatchObject({ bot_owner_id: cordelia.id });
    expect(await old?.read()).toEqual([{ type: 'realm_bot', op: 'delete', bot: { user_id: id } }]);
    expect(await next?.read()).toMatchObject([{ op: 'add', bot: { user_id: id, api_key: apiKey } }]);
    expect(await admin?.read()).toEqual([
      { type: 'realm_bot', op: 'update', bot: { user_id: id, owner_id: cordelia.id } },
    ]);
    expect(await patch(hamlet, id, { full_name: 'Mine?' })).toMatchObject(insufficientPermission);
    expect(await patch(iago, id, { bot_owner_id: 999_999 })).toMatchObject({
      msg: 'Failed to change owner, user not found',
    });
    expect(await patch(iago, id, { bot_owner_id: id })).toMatchObject({
      msg: "Failed to change owner, bots can't own other bots",
    });
  });

  it('change the service URL of outgoing webhook bots, and reject a service URL for other bots', async () => {
    const aaron = await signIn(chat, 'AARON');
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM users WHERE delivery_email LIKE 'outgoing-webhook@%'",
    );
    const id = rows[0]?.id ?? 0;
    expect(await patch(aaron, id, { service_interface: 2 })).toMatchObject({ msg: 'The bot has no outgoing service' });
    const form = { service_payload_url: 'https://example.com/', service_interface: 2 };
    expect(await patch(aaron, id, form)).toMatchObject(form);
    const { user_id: generic } = await create(hamlet);
    expect(await patch(hamlet, generic, form)).toMatchObject({ msg: 'The bot has no outgoing service' });
  });

  it('require an administrator to change the role', async () => {
    const { user_id: id } = await create(hamlet);
    expect(await patch(hamlet, id, { role: 300 })).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
    expect(await patch(iago, id, { role: 300 })).toMatchObject(success);
  });

  it('deactivate a bot and revoke its API key', async () => {
    const response = await create(hamlet);
    const bot = asBot(response, made);
    expect(await remove(cordelia, response.user_id)).toMatchObject(insufficientPermission);
    expect((await bot.client.get('/api/v1/users/me')).status).toBe(200);
    expect(await remove(hamlet, response.user_id)).toMatchObject(success);
    expect((await bot.client.get<ResponseBody>('/api/v1/users/me')).body.code).toBe('USER_DEACTIVATED');
    expect(await remove(hamlet, hamlet.id)).toMatchObject({ msg: 'No such bot' });
    expect(await remove(hamlet, 999_999)).toMatchObject({ msg: 'No such bot' });
  });
});

describe('incoming webhook bot', () => {
  it('can send messages only', async () => {
    const bot = asBot(await create(hamlet, { bot_type: 2 }), made);
    const message = { type: 'stream', to: 'Verona', topic: 'builds', content: 'green' };
    const { body } = await bot.client.post<ResponseBody>('/api/v1/messages', { form: message });
    expect(body).toMatchObject(success);
    const refused = { code: 'BAD_REQUEST', msg: 'This API is not available to incoming webhook bots.' };
    for (const path of ['users/me', 'messages', 'streams', 'users/me/subscriptions']) {
      expect((await bot.client.get<ResponseBody>(`/api/v1/${path}`)).body).toMatchObject(refused);
    }
    for (const path of ['register', 'users/me/subscriptions', 'messages/render', 'bots']) {
      expect((await bot.client.post<ResponseBody>(`/api/v1/${path}`, { form: {} })).body).toMatchObject(refused);
    }
    const { body: avatar } = await bot.client.get<ResponseBody>(`/avatar/${hamlet.id}?api_key=${bot.apiKey}`);
    expect(avatar).toMatchObject(refused);
  });
});

describe('API key endpoints', () => {
  it('let managers of a bot replace its API key with immediate effect', async () => {
    const response = await create(hamlet);
    const bot = asBot(response, made);
    expect(await get(hamlet, `/${response.user_id}/api_key`)).toMatchObject({ api_key: response.api_key });
    expect(await get(cordelia, `/${response.user_id}/api_key`)).toMatchObject(insufficientPermission);
    const queue = await openTestEventQueue(chat, iago, ['realm_bot']);
    const path = `bots/${response.user_id}/api_key/regenerate`;
    expect(await post(cordelia, path)).toMatchObject(insufficientPermission);
    const { api_key: apiKey } = await post(hamlet, path);
    expect((await bot.client.get<ResponseBody>('/api/v1/users/me')).body.code).toBe('INVALID_API_KEY');
    expect((await asBot({ ...response, api_key: apiKey }, made).client.get('/api/v1/users/me')).status).toBe(200);
    const event = { type: 'realm_bot', op: 'update', bot: { user_id: response.user_id, api_key: apiKey } };
    expect(await queue.read()).toEqual([event]);
  });

  it('let users regenerate their key, and end the event queues of the old key', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['realm_user']);
    const { api_key: apiKey } = await post(polonius, 'users/me/api_key/regenerate');
    expect((await queue.poll()).code).toBe('INVALID_API_KEY');
    const { status } = await chat.client
      .withHeaders(createBasicAuthorization(polonius.email, apiKey))
      .get('/api/v1/users/me');
    expect(status).toBe(200);
    expect(await post(asBot(await create(hamlet), made), 'users/me/api_key/regenerate')).toMatchObject(botsRejected);
  });
});

describe('POST /messages that mentions a generic bot', () => {
  /**
   * Sends a message of a bot's owner, and returns the events that the new bot receives. The bot's name replaces the
   * text `BOT` in the message.
   */
  async function eventsOf(content: string, channel: string) {
    const bot = asBot(await create(hamlet), made);
    const queue = await openTestEventQueue(chat, bot, ['message']);
    const form = { type: 'channel', to: channel, topic: 'help', content: content.replace('BOT', `Robot ${made}`) };
    expect((await hamlet.client.post<ResponseBody>('/api/v1/messages', { form })).body.msg).toBe('');
    return { bot, events: await queue.read() };
  }

  it('delivers the message to the bot in a public channel that the bot does not subscribe to', async () => {
    const { bot, events } = await eventsOf('@**BOT** how are you?', 'Verona');
    expect(events).toMatchObject([{ type: 'message', flags: ['mentioned'] }]);
    const query = {
      narrow: '[{"operator":"is","operand":"mentioned"}]',
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
    };
    const { body } = await bot.client.get<{ messages: object[] }>('/api/v1/messages', { query });
    expect(body.messages).toMatchObject([{ sender_id: hamlet.id, flags: ['mentioned'] }]);
  });

  it('does not reach the bot by a silent mention', async () => {
    expect((await eventsOf('@_**BOT** is a bot', 'Verona')).events).toEqual([]);
  });

  it('does not deliver the message to the bot in a private channel that the bot does not subscribe to', async () => {
    const subscriptions = '[{"name":"bots stay out"}]';
    await hamlet.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions, invite_only: 'true' } });
    expect((await eventsOf('@**BOT**, come in here!', 'bots stay out')).events).toEqual([]);
  });
});
