import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue, type TestQueue } from '../../../test/test-event-queue.js';
import { multipart } from '../../../test/upload-forms.js';
import { webhookFormats, createIntegrationsPage } from './index.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let zoe: DemoUser;
let hamlet: DemoUser;
let queue: TestQueue;
/** API key of a bot of Hamlet that has no webhook secret. */
let key: string;

interface Answer {
  readonly result: string;
  readonly msg: string;
  readonly code?: string;
  readonly [field: string]: unknown;
}

interface NewBot {
  readonly user_id: number;
  readonly api_key: string;
  readonly msg: string;
}

let made = 0;
async function createBot(form: Record<string, string> = {}, owner = hamlet): Promise<NewBot> {
  made += 1;
  const names = { full_name: `Hook ${made}`, short_name: `hook${made}`, bot_type: '2' };
  return (await owner.client.post<NewBot>('/api/v1/bots', { form: { ...names, ...form } })).body;
}

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [zoe, hamlet] = await Promise.all([signIn(chat, 'ZOE'), signIn(chat, 'hamlet')]);
  ({ api_key: key } = await createBot());
  queue = await openTestEventQueue(chat, hamlet, ['message'], { apply_markdown: 'false' });
});
afterAll(() => cluster.stop());

type Query = Record<string, string>;

async function post(name: string, query: Query, json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return (await chat.client.post<Answer>(`/api/v1/external/${name}`, { query, json, headers })).body;
}

/**
 * Sends a webhook request with the given payload text and headers. The headers can set a content type that the test
 * client would otherwise choose.
 */
async function postText(name: string, query: Query, payload: string, headers: Record<string, string>): Promise<Answer> {
  return (await chat.client.post<Answer>(`/api/v1/external/${name}`, { query, payload, headers, unchecked: true }))
    .body;
}

interface SeenMessage {
  readonly type: string;
  readonly subject: string;
  readonly content: string;
  readonly sender_full_name: string;
  readonly flags: readonly string[];
}

/** Returns the messages that Hamlet has received since the previous call of this function. */
async function received(): Promise<SeenMessage[]> {
  const events = (await queue.read()) as unknown as { message: SeenMessage; flags: readonly string[] }[];
  return events.map(({ message, flags }) => ({ ...message, flags }));
}

const success = { result: 'success', msg: '' };
const pushTo = (branch: string, created = true) => ({
  ref: `refs/heads/${branch}`,
  created,
  deleted: false,
  forced: false,
  commits: [],
  sender: { login: 'ada' },
  repository: { name: 'router', full_name: 'acme/router', html_url: 'https://github.com/acme/router' },
});
const asPush = { 'x-github-event': 'push' };

describe('POST /external/{name}: recipients', () => {
  it("sends a direct message to the bot's owner if the URL names no channel", async () => {
    expect(await post('json', { api_key: key }, { a: 1 })).toEqual(success);
    expect(await received()).toMatchObject([{ type: 'private', content: '```json\n{\n  "a": 1\n}\n```' }]);
  });

  it('accepts the name or id of a channel, and a topic', async () => {
    const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'Verona' },
    });
    for (const stream of ['verona', String(body.stream_id)]) {
      expect(await post('json', { api_key: key, stream, topic: 'from afar' }, [])).toEqual(success);
      expect(await received()).toMatchObject([{ type: 'stream', subject: 'from afar' }]);
    }
  });

  it('shows the title of an issue in the message if the URL sets the topic', async () => {
    const body = {
      ...pushTo('main'),
      action: 'closed',
      issue: { number: 7, title: 'Lost', html_url: 'https://github.com/acme/router/issues/7', body: null },
    };
    await post('github', { api_key: key, topic: 'work', stream: 'Verona' }, body, { 'x-github-event': 'issues' });
    const content = 'ada closed [issue #7 Lost](https://github.com/acme/router/issues/7).';
    expect(await received()).toMatchObject([{ subject: 'work', content }]);
  });

  it("notifies the bot's owner of a nonexistent channel, and responds with success", async () => {
    expect(await post('json', { api_key: key, stream: 'no where' }, {})).toEqual(success);
    const content = expect.stringContaining('the channel `no where` does not exist');
    expect(await received()).toMatchObject([{ type: 'private', sender_full_name: 'Notification Bot', content }]);
  });

  it('treats a channel that the bot cannot see like a nonexistent channel', async () => {
    const { api_key: own } = await createBot({}, zoe);
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name":"secret place"}]', invite_only: 'true' },
    });
    expect(await post('json', { api_key: own, stream: 'secret place' }, {})).toEqual(success);
    expect(await received()).toEqual([]);
  });

  it('shows the name of a nonexistent channel as code without a link', async () => {
    expect(await post('json', { api_key: key, stream: '`#**Verona>secret plan**`' }, {})).toEqual(success);
    const [{ content }] = (await received()) as [SeenMessage];
    expect(content).toContain('the channel `#\u200B**Verona>secret plan**` does not exist');
    const { body } = await hamlet.client.post<{ rendered: string }>('/api/v1/messages/render', { form: { content } });
    expect(body.rendered).not.toContain('<a');
  });

  it('responds with success and notifies the owner of the bot when messages after the first cannot be sent', async () => {
    const alertsOf = (...hosts: readonly string[]) => ({
      alerts: hosts.map((instance) => ({ status: 'firing', labels: { alertname: 'Down', instance } })),
    });
    const query = { api_key: key, stream: 'restricted alerts' };
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name":"restricted alerts"}]' },
    });
    expect(await post('alertmanager', query, alertsOf('host1'))).toEqual(success);
    await chat.runtime.database.query(
      `UPDATE channels SET can_create_topic_group_id = (
         SELECT id FROM user_groups g WHERE g.name = 'role:owners' AND g.realm_id = channels.realm_id
       ) WHERE name = 'restricted alerts'`,
    );
    await received();
    expect(await post('alertmanager', query, alertsOf('host1', 'host2', 'host3'))).toEqual(success);
    const content = expect.stringContaining('2 of its messages were not sent: `You do not have permission');
    expect(await received()).toMatchObject([{ subject: 'host1' }, { sender_full_name: 'Notification Bot', content }]);
    expect(await post('alertmanager', query, alertsOf('host4', 'host1'))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await received()).toEqual([]);
  });

  it('sends messages to the account itself when the account has no owner', async () => {
    expect(await post('json', { api_key: hamlet.apiKey }, 'note')).toEqual(success);
    expect(await received()).toMatchObject([{ type: 'private', content: '```json\n"note"\n```' }]);
    expect(await post('json', { api_key: hamlet.apiKey, stream: 'nowhere' }, {})).toEqual(success);
    expect(await received()).toEqual([]);
  });
});

describe('POST /external/{name}: credentials', () => {
  it('rejects requests without a valid key, also if the body contains a key', async () => {
    expect(await post('json', {}, {})).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await post('json', { api_key: 'x'.repeat(32) }, {})).toMatchObject({ code: 'INVALID_API_KEY' });
    const form = { api_key: key, payload: '{}' };
    const { body } = await chat.client.post<Answer>('/api/v1/external/json', { form });
    expect(body).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('accepts Basic authentication', async () => {
    const { body } = await chat.client
      .withHeaders(createBasicAuthorization(`hook1-bot@example.com`, key))
      .post('/api/v1/external/json', { json: {} });
    expect(body).toEqual(success);
    expect(await received()).toHaveLength(1);
  });

  it('rejects an API key in the URL of other endpoints', async () => {
    const { status } = await chat.client.get('/api/v1/users/me', {
      query: { api_key: hamlet.apiKey },
      unchecked: true,
    });
    expect(status).toBe(401);
  });

  it('does not log the API key of a request', () => {
    expect(cluster.log.join('')).not.toContain(key);
  });

  it('responds 404 for an unknown format', async () => {
    expect(await post('nothing', { api_key: key }, {})).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('POST /external/{name}: filters', () => {
  it.each([
    [{ only_events: '["push_*"]' }, 1],
    [{ only_events: '["issue*","push_tags"]' }, 0],
    [{ exclude_events: '["pu?h*"]' }, 0],
    [{ exclude_events: '["issues"]' }, 1],
    [{ branches: 'main, develop' }, 1],
    [{ branches: 'develop' }, 0],
  ])('applies the filters %j so that the number of sent messages is %d', async (query: Query, count) => {
    expect(await post('github', { api_key: key, ...query }, pushTo('main'), asPush)).toEqual(success);
    expect(await received()).toHaveLength(count);
  });

  it('omits events of private repositories if the URL excludes private repositories', async () => {
    const body = { ...pushTo('main'), repository: { ...pushTo('main').repository, private: true } };
    const query = { api_key: key, ignore_private_repositories: 'true' };
    expect(await post('github', query, body, asPush)).toEqual(success);
    expect(await received()).toEqual([]);
  });

  it.each([
    [{ only_events: 'push' }, 'Argument "only_events" is not valid JSON.'],
    [{ exclude_events: '[1]' }, 'exclude_events[0] is not a string'],
    [{ only_events: JSON.stringify(Array(101).fill('a')) }, 'only_events is too long (limit: 100 items)'],
  ])('rejects the filters %j', async (query: Query, msg) => {
    expect(await post('github', { api_key: key, ...query }, pushTo('main'), asPush)).toMatchObject({ msg });
  });

  it('reports URL parameters that the format does not support as ignored', async () => {
    const query = { api_key: key, branches: 'main', zebra: '1' };
    const { body } = await chat.client.post('/api/v1/external/json', { query, json: {}, unchecked: true });
    expect(body).toEqual({ ...success, ignored_parameters_unsupported: ['branches', 'zebra'] });
    await received();
  });
});

describe('POST /external/{name}: payloads', () => {
  it('responds 200 with an error code to an unsupported event', async () => {
    const response = await chat.client.post<Answer>('/api/v1/external/github', {
      query: { api_key: key },
      json: pushTo('main'),
      headers: { 'x-github-event': 'secret_scanning' },
    });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      result: 'success',
      msg: "The GitHub integration has no message for the event 'secret_scanning'",
      code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
      webhook_name: 'GitHub',
      event_type: 'secret_scanning',
    });
    expect(await received()).toEqual([]);
  });

  it('accepts a form with the payload in a field, in both encodings', async () => {
    const query = { api_key: key };
    const form = { payload: JSON.stringify({ n: 1 }) };
    expect((await chat.client.post('/api/v1/external/json', { query, form })).body).toEqual(success);
    const sent = await chat.client.post('/api/v1/external/json', { query, ...multipart([], form) });
    expect(sent.body).toEqual(success);
    const content = '```json\n{\n  "n": 1\n}\n```';
    expect(await received()).toMatchObject([{ content }, { content }]);
  });

  it('accepts JSON with any content type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json; charset=utf-8']) {
      expect(await postText('json', { api_key: key }, '{}', { 'content-type': type })).toEqual(success);
    }
    expect(await received()).toHaveLength(3);
  });

  it.each([
    ['no JSON', 'hello'],
    ['an empty body', ''],
    ['deeply nested JSON', '['.repeat(100_000)],
    ['JSON with too many values', `[${'1,'.repeat(250_000)}1]`],
  ])('rejects an invalid payload (%s), and notifies the owner', async (_what, payload) => {
    const answer = await postText('json', { api_key: key }, payload, { 'content-type': 'application/json' });
    expect(answer).toEqual({ result: 'error', msg: 'Malformed JSON', code: 'INVALID_JSON' });
    expect(await received()).toMatchObject([{ sender_full_name: 'Notification Bot' }]);
  });

  it('rejects a large body, and a form without payload', async () => {
    const large = await postText('json', { api_key: key }, `"${'x'.repeat(5_000_000)}"`, {
      'content-type': 'text/plain',
    });
    const msg = 'Uploaded file is larger than the allowed limit of 2 MiB';
    expect(large).toMatchObject({ code: 'BAD_REQUEST', msg });
    const { body } = await chat.client.post('/api/v1/external/json', {
      query: { api_key: key },
      form: { content: 'x' },
      unchecked: true,
    });
    expect(body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'payload' });
  });

  it('rejects a request without the event header, and notifies the owner', async () => {
    expect(await post('github', { api_key: key }, pushTo('main'))).toEqual({
      result: 'error',
      msg: "Missing the HTTP event header 'X-GitHub-Event'",
      code: 'MISSING_HTTP_EVENT_HEADER',
      webhook_name: 'GitHub',
    });
    expect(await received()).toMatchObject([{ content: expect.stringContaining('`X-GitHub-Event`') }]);
  });

  it.each(webhookFormats.filter(({ name }) => name !== 'json'))(
    'rejects payloads of $name that do not fit its schema',
    async ({ name, eventHeader }) => {
      const headers = { [eventHeader ?? 'x-none']: 'push' };
      for (const body of [
        [],
        'text',
        17,
        null,
        { event: 'updated', type: 'a.b', data: 1, alerts: [1], attachments: [1] },
      ]) {
        const answer = await post(name, { api_key: key }, body, headers);
        expect(answer.code).toMatch(/^(?:ANOMALOUS_WEBHOOK_PAYLOAD|UNSUPPORTED_WEBHOOK_EVENT_TYPE)$/);
      }
      expect(await received()).toEqual([]);
    },
  );

  it('sends payload texts without mentions and without ends of code blocks', async () => {
    const note = '``` \n````\n@**all** @_**all** @*staff* \u0000\ud800';
    await post('json', { api_key: key, stream: 'Verona' }, { note });
    await post('github', { api_key: key, stream: 'Verona' }, pushTo('@**all** `@**everyone**`\n\n```'), asPush);
    await post(
      'netbox',
      { api_key: key, stream: 'Verona' },
      {
        event: 'deleted',
        model: 'site',
        username: '/poll',
        data: { display: '** @**topic** ~~~\n~~~ spoiler' },
      },
    );
    const messages = await received();
    expect(messages).toHaveLength(3);
    for (const { flags, content } of messages) {
      expect(flags.filter((flag) => flag.includes('mentioned'))).toEqual([]);
      expect(content).not.toContain('\0');
    }
    const { body } = await hamlet.client.post<{ rendered: string }>('/api/v1/messages/render', {
      form: { content: messages[0]!.content },
    });
    expect(body.rendered.match(/<\/pre>/g)).toHaveLength(1);
    expect(body.rendered.trim()).toMatch(/<\/pre><\/div>$/);
  });

  it('sends at most 50 messages per request, and shows in the last message how many were omitted', async () => {
    const alertOf = (n: number) => ({ status: 'firing', labels: { alertname: 'Down', instance: `host${n}` } });
    const alerts = Array.from({ length: 53 }, (_, n) => alertOf(n));
    expect(await post('alertmanager', { api_key: key, stream: 'Verona' }, { alerts })).toEqual(success);
    const messages = await received();
    expect(messages.map(({ subject }) => subject)).toEqual(alerts.slice(0, 50).map(({ labels }) => labels.instance));
    expect(messages[48]!.content).toBe(':rotating_light: **Firing** Down');
    expect(messages[49]!.content).toContain('(3 further messages of this request were not sent.)');
  });

  it('cuts long messages and topics', async () => {
    await post('json', { api_key: key, stream: 'Verona', topic: 't'.repeat(70) }, { long: 'é'.repeat(20_000) });
    const [message] = await received();
    expect(message!.subject).toBe(`${'t'.repeat(57)}...`);
    expect(message!.content.length).toBeLessThanOrEqual(10_000);
    expect(message!.content).toMatch(/…\n```$/);
  });
});

describe('POST /external/{name}: secret of a bot', () => {
  const secret = 'open sesame';
  const body = JSON.stringify(pushTo('main'));
  let signed: NewBot;

  beforeAll(async () => {
    signed = await createBot({ service_name: 'github', config_data: JSON.stringify({ webhook_secret: secret }) });
  });

  const send = (headers: Record<string, string>, payload = body) =>
    postText('github', { api_key: signed.api_key }, payload, {
      'content-type': 'application/json',
      ...asPush,
      ...headers,
    });
  const hmac = (text: string, value = secret) => `sha256=${createHmac('sha256', value).update(text).digest('hex')}`;

  it('accepts a valid signature of the body as received', async () => {
    expect(await send({ 'x-hub-signature-256': hmac(body) })).toEqual(success);
    const spaced = JSON.stringify(pushTo('main'), null, 3);
    expect(await send({ 'x-hub-signature-256': hmac(spaced) }, spaced)).toEqual(success);
    const form = new URLSearchParams({ payload: body }).toString();
    const headers = { 'x-hub-signature-256': hmac(form), 'content-type': 'application/x-www-form-urlencoded' };
    expect(await send(headers, form)).toEqual(success);
    expect(await received()).toHaveLength(3);
  });

  it.each([
    ['no signature', {}],
    ['a signature with another secret', { 'x-hub-signature-256': hmac(body, 'another') }],
    ['a signature of another body', { 'x-hub-signature-256': hmac(`${body} `) }],
    ['a signature without its prefix', { 'x-hub-signature-256': hmac(body).slice(7) }],
  ])('rejects a request with %s', async (_what, headers) => {
    const msg = 'The signature in the header X-Hub-Signature-256 is missing or invalid';
    expect(await send(headers)).toEqual({ result: 'error', msg, code: 'BAD_REQUEST' });
    expect(await received()).toEqual([]);
  });

  it('accepts unsigned requests in formats without signatures, and after the secret of the bot is removed', async () => {
    expect(await post('json', { api_key: signed.api_key }, {})).toEqual(success);
    const form = { config_data: '{"webhook_secret":""}' };
    await hamlet.client.patch(`/api/v1/bots/${signed.user_id}`, { form });
    expect(await send({})).toEqual(success);
    await hamlet.client.patch(`/api/v1/bots/${signed.user_id}`, { form: { config_data: '{"webhook_secret":"new"}' } });
    expect(await send({ 'x-hub-signature-256': hmac(body) })).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await send({ 'x-hub-signature-256': hmac(body, 'new') })).toEqual(success);
    await received();
  });

  it('stores the secret encrypted, and neither shows nor logs it', async () => {
    const { rows } = await chat.runtime.database.query('SELECT * FROM bot_config_data');
    expect(rows).toHaveLength(1);
    const { text } = await hamlet.client.post('/api/v1/register', { form: { fetch_event_types: '["realm_bot"]' } });
    for (const shown of [JSON.stringify(rows), text, cluster.log.join('')]) expect(shown).not.toContain(secret);
  });

  it('rejects unknown configuration keys of a bot', async () => {
    expect((await createBot({ service_name: 'nothing' })).msg).toBe("Invalid integration 'nothing'.");
    expect((await createBot({ config_data: '{"a":"b"}' })).msg).toBe("Invalid configuration key 'a'");
    const long = JSON.stringify({ webhook_secret: 'x'.repeat(501) });
    expect((await createBot({ config_data: long })).msg).toContain('is too long (limit: 500 characters)');
  });
});

describe('POST /external/{name}: rate limits', () => {
  it('counts requests by bot, and limits messages to its owner', async () => {
    const limited = await cluster.start({ RATE_LIMIT_API_BY_USER: '600:3', RATE_LIMIT_WEBHOOK_NOTICE_BY_BOT: '600:1' });
    const { api_key: own } = await createBot();
    const codes = [];
    for (let n = 0; n < 4; n += 1) {
      const { status } = await limited.client.post('/api/v1/external/json', {
        query: { api_key: own, stream: 'nowhere' },
        json: {},
      });
      codes.push(status);
    }
    expect(codes).toEqual([200, 200, 200, 429]);
    expect(await received()).toHaveLength(1);
  });
});

describe('POST /register: realm_incoming_webhook_bots', () => {
  it('lists the formats with their events and options', async () => {
    interface Offered {
      name: string;
      [field: string]: unknown;
    }
    const { body } = await hamlet.client.post<{ realm_incoming_webhook_bots: Offered[] }>('/api/v1/register', {
      form: { fetch_event_types: '["realm_incoming_webhook_bots"]' },
    });
    const offered = body.realm_incoming_webhook_bots;
    expect(offered.map(({ name }) => name)).toEqual(webhookFormats.map(({ name }) => name));
    expect(offered.find(({ name }) => name === 'json')).toEqual({
      name: 'json',
      display_name: 'JSON',
      all_event_types: null,
      config_options: [],
      url_options: [],
    });
    expect(offered.find(({ name }) => name === 'github')).toMatchObject({
      all_event_types: expect.arrayContaining(['push_commits', 'issues']),
      config_options: [{ key: 'webhook_secret', label: 'Secret of the webhook', validator: 'check_string' }],
      url_options: [
        { key: 'branches', label: 'Branches of pushes, separated by commas', validator: 'check_string' },
        { key: 'ignore_private_repositories', label: 'Exclude private repositories', validator: 'check_bool' },
      ],
    });
  });
});

describe('docs/integrations.md', () => {
  it('describes all formats', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../docs/integrations.md'), 'utf8');
    expect(page).toBe(createIntegrationsPage());
    for (const { name } of webhookFormats) expect(page).toContain(`\n## ${name}\n`);
  });
});
