import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import { openTestEventQueue } from '../../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  [chat, other] = [await cluster.start(), await cluster.start()];
  [iago, hamlet] = [await signIn(chat, 'iago'), await signIn(chat, 'hamlet')];
});
afterAll(() => cluster.stop());

interface Body {
  readonly id: number;
  readonly code?: string;
  readonly msg: string;
  readonly automatic_new_visibility_policy?: number;
}

type Form = Record<string, string>;

const toVerona = { type: 'channel', to: 'Verona', topic: 'repeated', content: 'once' };

/** Placeholder for the recipient of a direct message, which {@link addressed} replaces by the user id of Iago. */
const toIago = 'Iago';
const addressed = (form: Form): Form => ({ ...form, ...(form['to'] === toIago && { to: `[${iago.id}]` }) });

let keys = 0;
const newKey = (): string => `key ${(keys += 1)}`;

/** Sends a message in a request with the given value of the header `Idempotency-Key`. */
const sendWithKey = (key: string, form: Form, { client } = hamlet) =>
  client.post<Body>('/api/v1/messages', { form: addressed(form), headers: { 'idempotency-key': key } });

const send = (form: Form, { client } = hamlet) => client.post<Body>('/api/v1/messages', { form: addressed(form) });

const query = async <R>(sql: string, values: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, values)).rows;

/** Returns the ids of the stored messages that have the given content. */
async function messagesWith(content: string): Promise<number[]> {
  const rows = await query<{ id: number }>('SELECT message_id AS id FROM message_texts WHERE content = $1', [content]);
  return rows.map(({ id }) => id);
}

/** Makes all stored idempotency keys 25 hours older, so that they have expired. */
const waitOneDay = () => query(`UPDATE send_keys SET stored_at = stored_at - interval '25 hours'`);

describe('POST /messages with an Idempotency-Key', () => {
  it('returns the response of the first request, and sends one message with one event', async () => {
    const key = newKey();
    const form = { ...toVerona, topic: 'followed by its first message', content: 'sent once' };
    const queue = await openTestEventQueue(chat, hamlet, ['message']);
    const first = await sendWithKey(key, form);
    expect(first.body).toMatchObject({ result: 'success', automatic_new_visibility_policy: 3 });
    for (const process of [chat, other]) {
      const client = process.client.withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey));
      const repeated = await sendWithKey(key, form, { ...hamlet, client });
      expect({ status: repeated.status, body: repeated.body }).toEqual({ status: 200, body: first.body });
    }
    expect(await messagesWith('sent once')).toEqual([first.body.id]);
    expect(await queue.read()).toMatchObject([{ type: 'message', message: { id: first.body.id } }]);
  });

  it.each([
    ['to a channel with a mention', { content: 'to @**Iago**' }],
    ['to a channel with a poll', { content: '/poll Where?\nHere' }],
    ['to a user', { type: 'direct', to: toIago, content: 'direct' }],
    ['to a user with a mention', { type: 'direct', to: toIago, content: 'direct to @**Iago**' }],
  ])(
    'sends one message and returns its id twice when a request with the same key is repeated %s',
    async (_name, form) => {
      const key = newKey();
      const { body } = await sendWithKey(key, { ...toVerona, ...form });
      expect(body.msg).toBe('');
      expect((await sendWithKey(key, { ...toVerona, ...form })).body.id).toBe(body.id);
      expect(await messagesWith(form.content)).toEqual([body.id]);
    },
  );

  it.each([
    ['content', { content: 'twice' }],
    ['topic', { topic: 'another topic' }],
    ['channel', { to: 'Denmark' }],
    ['a channel that does not exist', { to: 'Nowhere' }],
    ['recipients', { type: 'direct', to: toIago }],
    ['local id', { queue_id: 'q', local_id: '1' }],
    ['initial flag', { read_by_sender: 'true' }],
  ])('responds 422 for another request with the key: %s', async (_name, form) => {
    const key = newKey();
    const { body } = await sendWithKey(key, toVerona);
    const refused = await sendWithKey(key, { ...toVerona, ...form });
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 422,
      body: {
        result: 'error',
        code: 'IDEMPOTENCY_KEY_REUSED',
        msg: 'This Idempotency-Key was used with other parameters',
      },
    });
    expect((await sendWithKey(key, toVerona)).body.id).toBe(body.id);
  });

  it('returns the id of the first message when a repeated request writes the same recipients differently', async () => {
    const key = newKey();
    const direct = { type: 'direct', to: `[${iago.id},${hamlet.id}]`, content: 'notation' };
    const { body } = await sendWithKey(key, direct);
    const repeated = await sendWithKey(key, { ...direct, type: 'private', to: `${hamlet.id}, ${iago.id}` });
    expect(repeated.body.id).toBe(body.id);
  });

  it('sends one message for twenty concurrent requests to two processes', async () => {
    const key = newKey();
    const form = { ...toVerona, topic: 'race', content: 'raced' };
    const clients = [chat, other].map((process) =>
      process.client.withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey)),
    );
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sendWithKey(key, form, { ...hamlet, client: clients[index % 2]! })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = new Set(responses.map(({ body }) => body.id));
    expect([...ids]).toEqual(await messagesWith('raced'));
  });

  it('accepts one of twenty concurrent requests with different contents, and responds 422 to the other requests', async () => {
    const key = newKey();
    const contents = Array.from({ length: 20 }, (_, index) => `raced content ${index}`);
    const responses = await Promise.all(contents.map((content) => sendWithKey(key, { ...toVerona, content })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(422)]);
    expect(await query(`SELECT FROM message_texts WHERE content LIKE 'raced content %'`)).toHaveLength(1);
  });

  it('does not share keys between senders', async () => {
    const key = newKey();
    const ids = [await sendWithKey(key, toVerona), await sendWithKey(key, toVerona, iago)].map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(2);
  });

  it('accepts the key of a rejected request for another request', async () => {
    const key = newKey();
    for (const form of [{ content: ' ' }, { to: 'Nowhere' }, { topic: 'a\nb' }]) {
      expect((await sendWithKey(key, { ...toVerona, ...form })).status).toBe(400);
    }
    const { status, body } = await sendWithKey(key, toVerona);
    expect(status).toBe(200);
    expect((await sendWithKey(key, toVerona)).body.id).toBe(body.id);
  });

  it('returns the id of the first message even if the message was deleted meanwhile', async () => {
    const key = newKey();
    const { body } = await sendWithKey(key, toVerona);
    expect((await iago.client.delete(`/api/v1/messages/${body.id}`)).status).toBe(200);
    expect((await sendWithKey(key, toVerona)).body.id).toBe(body.id);
  });

  it('returns the id of the first message even if the channel was archived meanwhile', async () => {
    const created = await iago.client.post<Body>('/api/v1/channels/create', {
      form: { name: 'archived later', subscribers: JSON.stringify([hamlet.id]) },
    });
    const key = newKey();
    const form = { ...toVerona, to: String(created.body.id) };
    const { body } = await sendWithKey(key, form);
    expect((await iago.client.delete(`/api/v1/streams/${created.body.id}`)).status).toBe(200);
    expect((await sendWithKey(key, form)).body.id).toBe(body.id);
    expect((await sendWithKey(newKey(), form)).status).toBe(400);
  });

  it('sends a new message when the key is older than a day', async () => {
    const key = newKey();
    const { body } = await sendWithKey(key, { ...toVerona, topic: 'followed, then repeated' });
    await waitOneDay();
    const later = await sendWithKey(key, { ...toVerona, content: 'a day later' });
    expect(later.status).toBe(200);
    expect(later.body.id).not.toBe(body.id);
    const repeated = await sendWithKey(key, { ...toVerona, content: 'a day later' });
    expect(repeated.body).toEqual(later.body);
  });

  it.each([
    ['1 character', 'k', 200],
    ['255 characters', `"${'~ '.repeat(126)}"`.padEnd(255, 'k'), 200],
    ['no characters', '', 400],
    ['256 characters', 'k'.repeat(256), 400],
    ['a tab', 'a\tb', 400],
    ['a letter outside of ASCII', 'cl\u00e9', 400],
  ])('validates the length and characters of the key: a key of %s', async (_name, key, status) => {
    const response = await sendWithKey(key, toVerona);
    expect(response.status).toBe(status);
    if (status === 400) expect(response.body.msg).toBe('Idempotency-Key must have 1 to 255 printable ASCII characters');
  });
});

describe('POST /json/messages with an Idempotency-Key', () => {
  it('shares the keys of the user with /api/v1', async () => {
    const signedIn = await chat.client.post('/api/v1/dev_fetch_api_key', {
      query: { username: 'hamlet@example.com' },
    });
    const lines = [signedIn.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0] ?? '');
    const csrf = lines.find((line) => line.startsWith('csrftoken='))?.slice('csrftoken='.length) ?? '';
    const key = newKey();
    const { body } = await sendWithKey(key, toVerona);
    const headers = { cookie: lines.join('; '), 'x-csrftoken': csrf, 'idempotency-key': key };
    const post = (form: Form) => chat.client.post<Body>('/json/messages', { form, headers, unchecked: true });
    expect((await post(toVerona)).body.id).toBe(body.id);
    expect((await post({ ...toVerona, content: 'else' })).status).toBe(422);
  });
});

describe('OPTIONS /messages', () => {
  it('allows browsers to send an Idempotency-Key', async () => {
    const { headers } = await chat.client.sendOptionsRequest('/api/v1/messages', { unchecked: true });
    expect(headers['access-control-allow-headers']).toContain('Idempotency-Key');
  });
});

describe('POST /messages with queue_id and local_id', () => {
  const local = { ...toVerona, topic: 'local', queue_id: 'queue', local_id: '17.01' };

  it('returns the id of the first message when a request is repeated, and sends one event', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['message']);
    const { body } = await send({ ...local, content: 'local once' });
    const [row] = await query<{ id: number }>(`SELECT id FROM channels WHERE name = 'Verona'`);
    for (const to of ['Verona', 'verona', String(row?.id)]) {
      expect((await send({ ...local, to, content: 'local once' })).body.id).toBe(body.id);
    }
    expect(await messagesWith('local once')).toEqual([body.id]);
    expect(await queue.read()).toHaveLength(1);
  });

  it.each([
    ['content', { content: 'other' }],
    ['topic', { topic: 'local too' }],
    ['channel', { to: 'Denmark' }],
    ['recipients', { type: 'direct', to: toIago }],
    ['queue', { queue_id: 'another queue' }],
    ['local id', { local_id: '17.02' }],
  ])('sends a new message if the request has another %s', async (name, form) => {
    const first = await send({ ...local, content: name });
    const second = await send({ ...local, content: name, ...form });
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it.each([
    ['local id', { queue_id: 'queue' }],
    ['queue', { local_id: '1' }],
  ])('sends a new message for each request without a %s', async (_name, form) => {
    const ids = [await send({ ...toVerona, ...form }), await send({ ...toVerona, ...form })].map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(2);
  });

  it('sends a new message when another sender repeats the request, and when the request is a day old', async () => {
    const { body } = await send(local);
    expect((await send(local, iago)).body.id).not.toBe(body.id);
    await waitOneDay();
    expect((await send(local)).body.id).not.toBe(body.id);
  });

  it('sends one message for ten concurrent requests', async () => {
    const form = { ...local, content: 'local race' };
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(form)));
    expect([...new Set(responses.map(({ body }) => body.id))]).toEqual(await messagesWith('local race'));
  });
});

describe('POST /messages with an Idempotency-Key, queue_id and local_id', () => {
  const local = { ...toVerona, topic: 'both keys', queue_id: 'queue' };

  it('returns the first response when a repeated request has both keys or only the local id', async () => {
    const key = newKey();
    const form = { ...local, topic: 'both keys, followed', local_id: '1', content: 'both, then one' };
    const { body } = await sendWithKey(key, form);
    expect(body).toMatchObject({ result: 'success', automatic_new_visibility_policy: 3 });
    expect((await send(form)).body).toEqual(body);
    expect((await sendWithKey(key, form)).body).toEqual(body);
    expect(await messagesWith(form.content)).toEqual([body.id]);
  });

  it('returns the first response when a repeated request adds the key, and then rejects other parameters with the key', async () => {
    const key = newKey();
    const form = { ...local, topic: 'local id, followed', local_id: '2', content: 'one, then both' };
    const { body } = await send(form);
    expect((await sendWithKey(key, form)).body).toEqual(body);
    expect((await sendWithKey(key, { ...form, content: 'other' })).status).toBe(422);
    expect((await sendWithKey(key, form)).body).toEqual(body);
    expect(await messagesWith(form.content)).toEqual([body.id]);
  });

  it('responds 422 when the Idempotency-Key belongs to another request, even if the local id is repeated', async () => {
    const key = newKey();
    await sendWithKey(key, toVerona);
    const form = { ...local, local_id: '3', content: 'known local id' };
    const { body } = await send(form);
    expect((await sendWithKey(key, form)).status).toBe(422);
    expect((await send(form)).body.id).toBe(body.id);
  });

  it('sends a new message when the keys are older than a day', async () => {
    const key = newKey();
    const form = { ...local, local_id: '4', content: 'both keys a day later' };
    const { body } = await sendWithKey(key, form);
    await waitOneDay();
    const later = await sendWithKey(key, form);
    expect(later.body.id).not.toBe(body.id);
    expect((await send(form)).body.id).toBe(later.body.id);
  });

  it('sends one message for twenty concurrent requests, half of them with the key', async () => {
    const key = newKey();
    const form = { ...local, local_id: '5', content: 'both keys raced' };
    const clients = [chat, other].map((process) =>
      process.client.withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey)),
    );
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const sender = { ...hamlet, client: clients[index % 2]! };
        return index % 4 < 2 ? sendWithKey(key, form, sender) : send(form, sender);
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect([...new Set(responses.map(({ body }) => body.id))]).toEqual(await messagesWith('both keys raced'));
  });
});

describe('POST /messages without a key', () => {
  it('stores no row in the table of request keys', async () => {
    const count = async () => (await query('SELECT FROM send_keys')).length;
    const before = await count();
    await send(toVerona);
    expect(await count()).toBe(before);
  });
});
