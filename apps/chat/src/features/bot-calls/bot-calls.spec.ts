import { createLogger } from '@switchboard/platform';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { defineBotServiceRequestJob, SendBotServiceRequest, requeueLostBotServiceRequests } from './index.js';
import { ClientProgramIdCache, SendMessage } from '../../core/messages/index.js';
import { type ChatRuntime, closeChatProcessRuntime, createChatProcessRuntime } from '../../app/runtime.js';
import { BotService } from '../../../test/test-bot-service.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let cordelia: DemoUser;
let iago: DemoUser;
/** A bot whose service never responds. The tests start a request to this service before the other tests run. */
let mute: Bot;
const services: BotService[] = [];

const env = {
  BOT_CALL_ALLOW_LOOPBACK: 'true',
  BOT_CALL_RETRIES: '2',
  BOT_CALL_RETRY_INITIAL_MS: '5',
  BOT_CALL_TIMEOUT_MS: '1500',
};

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start(env);
  [hamlet, cordelia, iago] = (await Promise.all(['hamlet', 'cordelia', 'iago'].map((name) => signIn(chat, name)))) as [
    DemoUser,
    DemoUser,
    DemoUser,
  ];
  mute = await outgoingBot();
  mute.service.response = () => null;
  await mention(cordelia, mute);
});
afterAll(async () => {
  await cluster.stop();
  await Promise.all(services.map((service) => service.close()));
});

interface Bot {
  readonly id: number;
  readonly name: string;
  readonly service: BotService;
}

interface Seen {
  id: number;
  content: string;
  sender_id: number;
  subject: string;
  stream_id?: number;
  client: string;
}

let made = 0;

/** Creates an outgoing webhook bot that Hamlet owns. The bot's service runs in the test process. */
async function outgoingBot(form: Record<string, string | number> = {}): Promise<Bot> {
  const service = await BotService.open();
  services.push(service);
  made += 1;
  const name = `Service Bot ${made}`;
  const { body } = await hamlet.client.post<{ user_id: number; msg: string }>('/api/v1/bots', {
    form: { full_name: name, short_name: `service${made}`, bot_type: 3, payload_url: service.url, ...form },
  });
  expect(body.msg).toBe('');
  return { id: body.user_id, name, service };
}

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  const { body } = await user.client.post<{ id: number; msg: string }>('/api/v1/messages', { form });
  expect(body.msg).toBe('');
  return body.id;
}

const mention = (user: DemoUser, bot: Pick<Bot, 'name'>, topic = 'bots'): Promise<number> =>
  send(user, { type: 'stream', to: 'Verona', topic, content: `@**${bot.name}** help` });
const direct = (user: DemoUser, ids: readonly number[], content = 'hello'): Promise<number> =>
  send(user, { type: 'direct', to: JSON.stringify(ids), content });

async function messagesOf(reader: DemoUser, botId: number): Promise<Seen[]> {
  const narrow = JSON.stringify([{ operator: 'sender', operand: botId }]);
  const { body } = await reader.client.get<{ messages: Seen[] }>('/api/v1/messages', {
    query: { anchor: 'newest', num_before: 20, num_after: 0, narrow, apply_markdown: false },
  });
  return body.messages;
}

/** Waits until a user can read `count` messages of a bot, and returns these messages. */
const waitForBotMessages = (reader: DemoUser, bot: Bot, count = 1): Promise<Seen[]> =>
  waitFor(
    async () => {
      const messages = await messagesOf(reader, bot.id);
      return messages.length >= count && messages;
    },
    { timeoutMs: 15_000, what: `${count} messages of bot ${bot.id}` },
  );

/** Waits until all stored requests to a bot's service are completed. */
async function waitForBotCalls({ id }: Pick<Bot, 'id'>): Promise<void> {
  const waiting = async (): Promise<unknown[]> => {
    const { rows } = await chat.runtime.database.query(
      `SELECT id FROM bot_calls WHERE bot_id = $1
       UNION ALL SELECT id FROM queue.outbox WHERE topic = 'chat.bot-call' AND (payload ->> 'botId')::int = $1`,
      [id],
    );
    return rows;
  };
  await expect.poll(waiting, { timeout: 15_000 }).toEqual([]);
}

it('bot call logs the request id and trace of the request that sent the message', async () => {
  const bot = await outgoingBot();
  bot.service.response = (nth) => (nth === 1 ? { status: 500, body: '' } : { json: { response_not_required: true } });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { headers } = await cordelia.client.withHeaders({ traceparent }).post('/api/v1/messages', {
    form: { type: 'direct', to: JSON.stringify([bot.id]), content: 'hello' },
  });
  await bot.service.nth(2);
  const lines = cluster.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const failed = lines.filter(({ msg, traceparent: trace }) => msg === 'job attempt failed' && trace === traceparent);
  expect(failed).toMatchObject([{ requestId: headers['x-request-id'], job: 'bots.call', attempt: 1 }]);
});

describe('outgoing webhook bot', () => {
  it('posts the reply of its service in the topic when mentioned', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => ({ json: { content: '*at your service*' } });
    const id = await mention(cordelia, bot, 'help me');
    const { headers, body } = await bot.service.nth(1);
    expect(headers['content-type']).toBe('application/json');
    const { body: own } = await hamlet.client.post<{
      realm_bots: { user_id: number; services: { token: string }[] }[];
    }>('/api/v1/register', { form: { fetch_event_types: '["realm_bot"]', event_types: '["realm_bot"]' } });
    const token = own.realm_bots.find(({ user_id: botId }) => botId === bot.id)?.services[0]?.token;
    expect(JSON.parse(body)).toMatchObject({
      bot_email: `service${made}-bot@example.com`,
      bot_full_name: bot.name,
      data: `@**${bot.name}** help`,
      token,
      trigger: 'mention',
      message: {
        id,
        type: 'stream',
        display_recipient: 'Verona',
        subject: 'help me',
        content: `@**${bot.name}** help`,
        rendered_content: expect.stringContaining(`data-user-id="${bot.id}"`),
        sender_id: cordelia.id,
        sender_realm_str: expect.any(String),
        reactions: [],
        submessages: [],
        timestamp: expect.any(Number),
      },
    });
    const [reply] = await waitForBotMessages(cordelia, bot);
    expect(reply).toMatchObject({
      content: '*at your service*',
      subject: 'help me',
      client: 'OutgoingWebhookResponse',
    });
    await waitForBotCalls(bot);
    expect(bot.service.calls).toHaveLength(1);
  });

  it('posts replies to all participants of a direct message', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => ({ json: { content: 'hello all' } });
    await direct(cordelia, [bot.id, iago.id]);
    const { message, trigger } = JSON.parse((await bot.service.nth(1)).body) as Record<string, { type: string }>;
    expect(trigger).toBe('direct_message');
    expect(message).toMatchObject({ type: 'private', sender_id: cordelia.id });
    for (const reader of [cordelia, iago]) {
      expect(await waitForBotMessages(reader, bot)).toMatchObject([
        { content: 'hello all', display_recipient: { length: 3 } },
      ]);
    }
  });

  it('sends the Slack format to its service if configured, for channel messages only', async () => {
    const bot = await outgoingBot({ interface_type: 2 });
    bot.service.response = () => ({ json: { text: 'from slack' } });
    await mention(cordelia, bot);
    const { headers, body } = await bot.service.nth(1);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    const [reply] = await waitForBotMessages(cordelia, bot);
    expect(reply?.content).toBe('from slack');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      team_id: expect.stringMatching(/^T\d+$/),
      team_domain: expect.any(String),
      channel_id: `C${reply?.stream_id}`,
      channel_name: 'Verona',
      thread_ts: expect.stringMatching(/^\d+$/),
      timestamp: expect.stringMatching(/^\d+$/),
      user_id: `U${cordelia.id}`,
      user_name: "Cordelia, Lear's daughter",
      command: `@**${bot.name}**`,
      text: `@**${bot.name}** help`,
      trigger_word: 'mention',
      service_id: String(bot.id),
    });
    await direct(cordelia, [bot.id]);
    expect((await waitForBotMessages(cordelia, bot, 2)).at(-1)?.content).toContain('in channels only');
    expect(bot.service.calls).toHaveLength(1);
  });

  it('posts nothing when the service returns an empty reply', async () => {
    const bot = await outgoingBot();
    const responses = [{ response_not_required: true, content: 'x' }, {}, '', { content: ' \n' }];
    bot.service.response = (nth) => ({ json: responses[nth - 1] });
    for (const _response of responses) await direct(cordelia, [bot.id]);
    await bot.service.nth(responses.length);
    await waitForBotCalls(bot);
    expect(await messagesOf(cordelia, bot.id)).toEqual([]);
  });

  it('ignores messages of bots, silent mentions, mentions in code, and channels that the bot cannot access', async () => {
    const [bot, other] = [await outgoingBot(), await outgoingBot()];
    bot.service.response = () => ({ json: { content: `@**${other.name}** your turn` } });
    await send(cordelia, {
      type: 'stream',
      to: 'Verona',
      topic: 'x',
      content: `\`@**${bot.name}**\` @_**${bot.name}**`,
    });
    await iago.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name":"closed to bots"}]', invite_only: true },
    });
    await send(iago, { type: 'stream', to: 'closed to bots', topic: 'x', content: `@**${bot.name}**` });
    await waitForBotCalls(bot);
    expect(bot.service.calls).toEqual([]);
    await mention(cordelia, bot);
    await waitForBotMessages(cordelia, bot);
    await waitForBotCalls(bot);
    expect(bot.service.calls).toHaveLength(1);
    expect(other.service.calls).toEqual([]);
  });

  it('calls its service for messages in private channels of the bot owner, and posts the reply there', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => ({ json: { content: 'among us' } });
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: {
        subscriptions: '[{"name":"of the owner"}]',
        invite_only: true,
        principals: JSON.stringify([hamlet.id, cordelia.id]),
      },
    });
    await send(cordelia, { type: 'stream', to: 'of the owner', topic: 'x', content: `@**${bot.name}**` });
    expect(await waitForBotMessages(cordelia, bot)).toMatchObject([
      { content: 'among us', display_recipient: 'of the owner' },
    ]);
  });

  it('calls no service after its deactivation', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => ({ status: 503, body: '' });
    await mention(cordelia, bot);
    await bot.service.nth(1);
    await hamlet.client.delete(`/api/v1/bots/${bot.id}`);
    await waitForBotCalls(bot);
    const { length } = bot.service.calls;
    await mention(cordelia, bot);
    await waitForBotCalls(bot);
    expect(bot.service.calls).toHaveLength(length);
  });
});

describe('failing service of an outgoing webhook bot', () => {
  it('receives further calls after failures, and its reply is posted once', async () => {
    const bot = await outgoingBot();
    bot.service.response = (nth) => (nth < 3 ? { status: 500, body: 'later' } : { json: { content: 'there' } });
    await mention(cordelia, bot);
    expect((await waitForBotMessages(cordelia, bot)).map(({ content }) => content)).toEqual(['there']);
    expect(bot.service.calls).toHaveLength(3);
    await waitForBotCalls(bot);
    expect(await messagesOf(hamlet, bot.id)).toHaveLength(1);
  });

  it.each([
    ['responds 502 to every attempt', { status: 502, body: 'bad ```gateway' }, 3, 'status 502', "bad '''gateway"],
    ['responds 404', { status: 404, body: '' }, 1, 'status 404', ''],
    [
      'redirects the request',
      { status: 307, body: '', headers: { location: 'http://example.com/' } },
      1,
      'status 307',
      '',
    ],
    [
      'responds with text that is not JSON',
      { status: 200, body: '<html>' },
      1,
      'a response that is no valid reply',
      '<html>',
    ],
    ['responds with a JSON list', { json: [1] }, 1, 'a response that is no valid reply', '[1]'],
    [
      'responds with a null character in the content',
      { json: { content: 'a\0b' } },
      1,
      'a response that is no valid reply',
      'a',
    ],
    [
      'responds with too many characters',
      { json: { content: 'x'.repeat(300_000) } },
      1,
      'a response that is no valid reply',
      'xxx',
    ],
  ])('causes one notification to the bot owner when the service %s', async (_what, response, calls, reason, quoted) => {
    const bot = await outgoingBot();
    bot.service.response = () => response;
    await mention(cordelia, bot);
    const messages = await waitForBotMessages(hamlet, bot, 2);
    await waitForBotCalls(bot);
    const notices = messages.filter(({ stream_id: channel }) => channel === undefined);
    expect(notices).toHaveLength(1);
    const [notice] = notices;
    expect(notice?.content).toContain(reason);
    expect(notice?.content).toContain(quoted);
    expect(notice?.content).toContain('/near/');
    expect((await messagesOf(cordelia, bot.id)).map(({ content }) => content)).toEqual([
      expect.stringContaining('not available'),
    ]);
    expect(bot.service.calls).toHaveLength(calls);
  });

  it('receives no call at a forbidden address, and the error does not reveal the address', async () => {
    const bot = await outgoingBot({ payload_url: 'http://169.254.169.254/latest' });
    await mention(cordelia, bot);
    const [notice] = await waitForBotMessages(hamlet, bot);
    expect(notice?.content).toContain('network that this server does not call');
    expect(notice?.content).not.toContain('169.254');
  });

  it('causes a notification to the bot owner when it times out', async () => {
    const [notice] = await waitForBotMessages(hamlet, mute);
    expect(notice?.content).toContain('did not respond in time');
    expect(mute.service.calls).toHaveLength(3);
  });
});

/** Creates the action {@link SendMessage}, so that a test can send messages without an HTTP server. */
function sendMessageOver({ config, database, eventLog, renderer, realmContents, attention, outbox }: ChatRuntime) {
  const events = new ChatEventWriter(eventLog, config);
  return new SendMessage(
    database,
    renderer,
    events,
    new ClientProgramIdCache(database, { CLIENT_NAMES: 10_000 }),
    realmContents,
    attention,
    outbox,
  );
}

describe('bot call', () => {
  it('reaches the service even if the sending process dies at the commit', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => ({ json: { content: 'still here' } });
    const { config } = chat.runtime;
    // No worker processes the outbox, so only committed rows remain.
    const dying = createChatProcessRuntime(config, createLogger({ level: 'silent', name: 'chat' }));
    const actor: ChatActor = {
      id: cordelia.id,
      kind: 'user',
      realm: '1',
      realmId: 1,
      role: userRoleNumbers.member,
      deliveryEmail: cordelia.email,
      fakeEmailDomain: '',
    };
    const message = { type: 'stream', to: 'Verona', topic: 'x', content: `@**${bot.name}**` } as const;
    await sendMessageOver(dying).run(actor, message, { client: 'test' });
    expect(bot.service.calls).toEqual([]);
    await closeChatProcessRuntime(dying);
    await cluster.start(env);
    expect(await waitForBotMessages(cordelia, bot)).toMatchObject([{ content: 'still here' }]);
  });

  it('stops retrying when the message of the call is deleted', async () => {
    const bot = await outgoingBot();
    bot.service.response = () => null;
    const id = await mention(cordelia, bot);
    await bot.service.nth(1);
    await cordelia.client.delete(`/api/v1/messages/${id}`);
    await waitForBotCalls(bot);
    expect(bot.service.calls).toHaveLength(1);
  });

  it('gets a new job when its job is lost, and posts one reply even if two workers run the call', async () => {
    const { database, apiKeys, botServices: outbound } = chat.runtime;
    const calls = new SendBotServiceRequest({
      database,
      apiKeys,
      outbound,
      sendMessage: sendMessageOver(chat.runtime),
    });
    const bot = await outgoingBot();
    const early = [{ status: 500, body: '' }, null];
    bot.service.response = (nth) => (nth > 2 ? { json: { content: 'once' } } : (early[nth - 1] ?? null));
    await mention(cordelia, bot);
    await bot.service.nth(2);
    const { rows } = await database.query<{ id: string }>(
      "UPDATE bot_calls SET created_at = now() - interval '2 minutes' WHERE bot_id = $1 RETURNING id::text",
      [bot.id],
    );
    const id = rows[0]?.id ?? '';
    const added: unknown[] = [];
    const jobs = { addBulk: async (_job: unknown, work: readonly unknown[]) => void added.push(...work) };
    await requeueLostBotServiceRequests(database, jobs, defineBotServiceRequestJob(chat.runtime.config));
    expect(added).toContainEqual({ payload: { id, botId: bot.id }, id: `bot-call-${id}` });
    const context = { lastAttempt: false, signal: new AbortController().signal };
    await Promise.all([calls.run(id, context), calls.run(id, context), calls.run(id, context)]);
    expect(await messagesOf(cordelia, bot.id)).toMatchObject([{ content: 'once' }]);
  });
});
