import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import {
  collectingProcess,
  collectQueue,
  eventLogKey,
  maintainedFields,
  type Registered,
  registerAgain,
} from '../../../test/expire-event-queues.js';
import { fetchPendingEvents, poll, send } from '../../../test/event-queue-requests.js';
import { readChatServiceConfig } from '../environment.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start(collectingProcess);
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

const form = { client_capabilities: JSON.stringify({ notification_settings_null: true }) };

async function register(user: DemoUser, fields: Record<string, string> = form): Promise<Registered> {
  const { body } = await user.client.post<Registered>('/api/v1/register', { form: fields });
  expect(body['msg']).toBe('');
  return body;
}

/**
 * Registers an event queue, sends a message, and then removes the queue as expired. Returns the queue and the message
 * id.
 */
async function collectedQueue(user: DemoUser, fields: Record<string, string> = form) {
  const { queue_id: queueId } = await register(user, fields);
  const messageId = await send(hamlet);
  await chat.runtime.eventLog.sweep();
  await collectQueue(chat, queueId);
  return { messageId, known: { queue_id: queueId, last_event_id: -1 } };
}

describe('POST /register with last_known', () => {
  it('returns the missed events and the snapshot fields that no event updates', async () => {
    const { known, messageId } = await collectedQueue(iago);
    expect(await poll(iago, known.queue_id)).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
    const { delta, ...fields } = await registerAgain(iago, form, known);
    const messages = delta?.events.filter(({ type }) => type === 'message');
    expect(messages?.map(({ message }) => message?.id)).toEqual([messageId]);
    expect(Object.keys(fields).filter((name) => maintainedFields.has(name))).toEqual([]);
    expect(fields).toMatchObject({ last_event_id: -1, max_message_id: messageId, realm_name: expect.any(String) });
    const next = await send(hamlet);
    const events = await fetchPendingEvents(chat, iago, fields.queue_id);
    expect(events.filter(({ type }) => type === 'message').map(({ message }) => message?.id)).toEqual([next]);
  });

  it('returns no field `delta` if the request has no last_known', async () => {
    expect(await register(iago)).not.toHaveProperty('delta');
  });

  it('returns all values of fields for which the queue does not receive every event', async () => {
    const fields = { event_types: '["stream", "drafts"]', fetch_event_types: '["stream", "drafts", "realm_user"]' };
    const { queue_id: queueId } = await register(iago, fields);
    const body = await registerAgain(iago, fields, { queue_id: queueId, last_event_id: -1 });
    expect(body.delta).toEqual({ events: [] });
    expect(body).not.toHaveProperty('drafts');
    expect(body).toHaveProperty('streams');
    expect(body).toHaveProperty('realm_users');
  });

  it.each([
    ['include_subscribers=partial', { ...form, include_subscribers: 'partial' }],
    ['no notification_settings_null', {}],
  ])('returns all subscriptions when the request has %s', async (_name, fields: Record<string, string>) => {
    const { queue_id: queueId } = await register(iago, fields);
    const body = await registerAgain(iago, fields, { queue_id: queueId, last_event_id: -1 });
    expect(body.delta).not.toBeNull();
    expect(body).toHaveProperty('subscriptions');
    expect(body).not.toHaveProperty('realm_users');
  });

  it('renders missed events for the role that the user has at the time of the request', async () => {
    const desdemona = await signIn(chat, 'desdemona');
    const cordelia = await signIn(chat, 'cordelia');
    const fields = { event_types: '["realm_user", "realm_bot"]', fetch_event_types: '[]' };
    const { queue_id: queueId } = await register(cordelia, fields);
    const setRole = (role: number) =>
      desdemona.client.patch(`/api/v1/users/${cordelia.id}`, { form: { role: String(role) } });
    await setRole(200);
    await chat.runtime.eventLog.sweep();
    const { events } = await poll(cordelia, queueId, { dont_block: true });
    await collectQueue(chat, queueId);
    const { delta } = await registerAgain(cordelia, fields, { queue_id: queueId, last_event_id: -1 });
    await setRole(400);
    expect(events.some(({ type }) => type === 'realm_bot')).toBe(true);
    expect(delta?.events).toEqual(events);
  });

  it.each([
    ['a text', '"x"'],
    ['no queue', '{"last_event_id": 1}'],
    ['an id that is no integer', '{"queue_id": "x", "last_event_id": 1.5}'],
    ['a long queue id', JSON.stringify({ queue_id: 'x'.repeat(101), last_event_id: 1 })],
  ])('rejects an invalid last_known: %s', async (_name, last_known) => {
    const { status, body } = await iago.client.post<Registered>('/api/v1/register', { form: { last_known } });
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });
});

describe('POST /register with a last_known whose queue cannot be continued', () => {
  const expectWholeState = async (
    user: DemoUser,
    known: { queue_id: string; last_event_id: number },
    fields = form,
  ) => {
    const body = await registerAgain(user, fields, known);
    expect(body.delta).toBeNull();
    expect([...maintainedFields].filter((name) => !(name in body))).toEqual([]);
    return body;
  };

  it('returns the same response for the queue of another user as for an unknown queue', async () => {
    const { known } = await collectedQueue(hamlet);
    const [foreign, unknown] = [
      await expectWholeState(iago, known),
      await expectWholeState(iago, { queue_id: '\ud800', last_event_id: 0 }),
    ];
    expect(Object.keys(foreign)).toEqual(Object.keys(unknown));
  });

  it.each([
    ['other event types', { ...form, event_types: '["message"]', fetch_event_types: JSON.stringify(['message']) }],
    ['other fetch types', { ...form, fetch_event_types: '["realm_user"]' }],
    ['other capabilities', { client_capabilities: '{}' }],
    ['another form of messages', { ...form, apply_markdown: 'true' }],
    ['other subscribers', { ...form, include_subscribers: 'true' }],
    ['a narrow', { ...form, narrow: '[["is", "dm"]]' }],
    ['all public channels', { ...form, all_public_streams: 'true' }],
  ])(
    'returns a snapshot when the request differs from the known queue by %s',
    async (_name, fields: Record<string, string>) => {
      const { known } = await collectedQueue(iago);
      expect((await registerAgain(iago, fields, known)).delta).toBeNull();
    },
  );

  it('returns a snapshot for an event id that was never assigned', async () => {
    const { known } = await collectedQueue(iago);
    await expectWholeState(iago, { ...known, last_event_id: Number.MAX_SAFE_INTEGER });
  });

  it('returns a snapshot for a queue that its client has deleted', async () => {
    const { queue_id } = await register(iago);
    const { status } = await iago.client.delete('/api/v1/events', { form: { queue_id } });
    expect(status).toBe(200);
    await expectWholeState(iago, { queue_id, last_event_id: -1 });
  });

  it('returns a snapshot when the account was deactivated and reactivated in between', async () => {
    const othello = await signIn(chat, 'othello');
    const { known } = await collectedQueue(othello);
    const account = `/api/v1/users/${othello.id}`;
    expect((await iago.client.delete(account)).status).toBe(200);
    expect((await iago.client.post(`${account}/reactivate`)).status).toBe(200);
    await expectWholeState(await signIn(chat, 'othello'), known);
  });

  it('returns a snapshot if the event log records that the queues of the user ended', async () => {
    const zoe = await signIn(chat, 'ZOE');
    const { known } = await collectedQueue(zoe);
    const { removeOwned } = chat.runtime.eventLog;
    chat.runtime.eventLog.removeOwned = () => Promise.resolve(0);
    try {
      expect((await zoe.client.post('/api/v1/users/me/api_key/regenerate')).status).toBe(200);
    } finally {
      chat.runtime.eventLog.removeOwned = removeOwned.bind(chat.runtime.eventLog);
    }
    await expectWholeState(await signIn(chat, 'ZOE'), known);
  });

  it('returns a snapshot when Redis has lost all data or has removed the missed events', async () => {
    const { known } = await collectedQueue(iago);
    const meta = await eventLogKey(chat, 'meta');
    const last = await chat.runtime.redis.hget(meta, 'last');
    await chat.runtime.redis.hset(meta, 'floor', last ?? '0');
    await expectWholeState(iago, known);
    const flushed = await collectedQueue(iago);
    await chat.runtime.redis.del(await chat.runtime.redis.keys(await eventLogKey(chat, '*')));
    const { queue_id: queueId } = await expectWholeState(iago, flushed.known);
    const next = await send(hamlet);
    const events = await fetchPendingEvents(chat, iago, queueId);
    expect(events.map(({ message }) => message?.id)).toContain(next);
  });

  it('returns a snapshot without a queue to clients without an account', async () => {
    const { known } = await collectedQueue(iago);
    await chat.runtime.database.query(
      `UPDATE realms SET settings = settings || '{"enable_spectator_access": true}'::jsonb`,
    );
    const { body } = await chat.client.post<Registered>('/api/v1/register', {
      form: { last_known: JSON.stringify(known) },
    });
    expect(body).toMatchObject({ queue_id: null, delta: null });
  });

  it('returns a snapshot for an expired queue if EVENT_QUEUE_DELTA_SECONDS is 0', async () => {
    expect(readChatServiceConfig({}).EVENT_QUEUE_DELTA_SECONDS).toBe(86_400);
    const other = await chatCluster();
    try {
      const without = await other.start({ ...collectingProcess, EVENT_QUEUE_DELTA_SECONDS: '0' });
      const user = await signIn(without, 'iago');
      const { queue_id: queueId } = await register(user);
      await collectQueue(without, queueId);
      await expectWholeState(user, { queue_id: queueId, last_event_id: -1 });
    } finally {
      await other.stop();
    }
  });
});
