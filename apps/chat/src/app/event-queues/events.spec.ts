import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let first: ChatProcess;
let second: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  first = await cluster.start({ EVENT_HEARTBEAT_MS: '1500' });
  second = await cluster.start({ EVENT_HEARTBEAT_MS: '1500' });
  [iago, hamlet, polonius] = await Promise.all([
    signIn(first, 'iago'),
    signIn(second, 'hamlet'),
    signIn(first, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface Event {
  id: number;
  type: string;
  flags: string[];
  local_message_id?: string;
  message: { id: number; content: string; subject: string; sender_email: string; avatar_url: string | null };
}

async function register(user: DemoUser, form: Record<string, string> = {}): Promise<string> {
  const { status, body } = await user.client.post<{ queue_id: string; msg: string }>('/api/v1/register', {
    form: { fetch_event_types: '[]', ...form },
  });
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  return body.queue_id;
}

async function poll(user: DemoUser, queueId: string, query: Record<string, string | number | boolean> = {}) {
  const { body } = await user.client.get<{ events: Event[]; code: string; msg: string; queue_id: string }>(
    '/api/v1/events',
    { query: { queue_id: queueId, last_event_id: -1, ...query } },
  );
  return body;
}

async function send(user: DemoUser, form: Record<string, string> = {}): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', {
    form: { type: 'channel', to: 'Verona', topic: 'events', content: '**b**', ...form },
  });
  return body.id;
}

/** Returns the events of an event queue that its client has not received, including all events sent before the call. */
async function fetchPendingEvents(user: DemoUser, queueId: string): Promise<Event[]> {
  await first.runtime.eventLog.sweep();
  return (await poll(user, queueId, { dont_block: true })).events;
}

describe('GET /events', () => {
  it('returns an event that another process sends', async () => {
    const queueId = await register(iago);
    const polled = poll(iago, queueId);
    const id = await send(hamlet);
    const { events, queue_id } = await polled;
    expect(queue_id).toBe(queueId);
    expect(events.map((event) => event.message.id)).toEqual([id]);
  });

  it('serves a queue that another process registered', async () => {
    const queueId = await register(iago);
    const elsewhere = { ...iago, client: second.client.withHeaders(authorization(iago)) };
    const polled = poll(elsewhere, queueId);
    const id = await send(hamlet);
    expect((await polled).events.map((event) => event.message.id)).toEqual([id]);
  });

  it('returns ascending ids, repeats events for a repeated last_event_id, and omits acknowledged events', async () => {
    const queueId = await register(iago);
    const [a, b] = [await send(iago), await send(iago)];
    const events = await fetchPendingEvents(iago, queueId);
    expect(events.map((event) => event.message.id)).toEqual([a, b]);
    expect(events[1]!.id).toBeGreaterThan(events[0]!.id);
    expect(await fetchPendingEvents(iago, queueId)).toEqual(events);
    const rest = await poll(iago, queueId, { dont_block: true, last_event_id: events[0]!.id });
    expect(rest.events.map((event) => event.message.id)).toEqual([b]);
    expect(await poll(iago, queueId, { dont_block: true })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'An event newer than -1 has already been pruned!',
    });
  });

  it('returns immediately with dont_block, and otherwise returns a heartbeat after the heartbeat time', async () => {
    const queueId = await register(iago);
    expect((await poll(iago, queueId, { dont_block: true })).events).toEqual([]);
    const { events } = await poll(iago, queueId);
    expect(events).toEqual([{ type: 'heartbeat', id: expect.any(Number) }]);
  });

  it('returns no events to the first poll when a second poll starts on the same queue', async () => {
    const queueId = await register(iago);
    const earlier = poll(iago, queueId);
    await expect.poll(() => first.runtime.eventLog.metrics().waiters).toBeGreaterThan(0);
    const later = poll(iago, queueId);
    expect((await earlier).events).toEqual([]);
    const id = await send(hamlet);
    expect((await later).events.map((event) => event.message.id)).toEqual([id]);
  });

  it.each([
    ['a queue that does not exist', () => Promise.resolve('nobodys')],
    ['a queue of another user', () => register(hamlet)],
  ])('responds BAD_EVENT_QUEUE_ID to %s', async (_name, queue) => {
    const queueId = await queue();
    const { status, body } = await iago.client.get('/api/v1/events', {
      query: { queue_id: queueId, last_event_id: -1 },
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue ID: ${queueId}`,
        queue_id: queueId,
      },
    });
  });

  it('rejects an event id that the queue never had, and a request without a required parameter', async () => {
    const queueId = await register(iago);
    expect(await poll(iago, queueId, { last_event_id: 10_000_000 })).toMatchObject({
      msg: 'Event 10000000 was not in this queue',
    });
    const { body } = await iago.client.get('/api/v1/events', { query: { queue_id: queueId } });
    expect(body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'last_event_id' });
    expect((await first.client.get('/api/v1/events')).status).toBe(401);
  });
});

describe('DELETE /events', () => {
  it('ends the pending poll and removes the queue, for its owner only', async () => {
    const queueId = await register(iago);
    const held = poll(iago, queueId);
    await expect.poll(() => first.runtime.eventLog.metrics().waiters).toBeGreaterThan(0);
    const remove = (user: DemoUser) => user.client.delete('/api/v1/events', { form: { queue_id: queueId } });
    expect((await remove(hamlet)).body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
    expect((await remove(iago)).body).toEqual({ result: 'success', msg: '' });
    expect((await held).events).toEqual([]);
    expect(await poll(iago, queueId)).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
    expect((await first.client.delete('/api/v1/events', { form: { queue_id: queueId } })).status).toBe(401);
    expect((await iago.client.delete('/api/v1/events')).status).toBe(400);
  });
});

describe('event of a new message', () => {
  it('reaches only the recipients of the message, each with the flags of that recipient', async () => {
    const queues = await Promise.all([iago, hamlet, polonius].map((user) => register(user)));
    await send(iago, { to: 'Denmark', content: '@**King Hamlet**', read_by_sender: 'true' });
    const [own, named, guest] = await Promise.all(
      [iago, hamlet, polonius].map((user, index) => fetchPendingEvents(user, queues[index]!)),
    );
    expect(own?.[0]?.flags).toEqual(['read']);
    expect(named?.[0]?.flags).toEqual(['mentioned']);
    expect(guest).toEqual([]);
  });

  it('has the content format that the queue requested', async () => {
    const plain = await register(iago);
    const rendered = await register(iago, { apply_markdown: 'true', client_gravatar: 'false' });
    const modern = await register(hamlet, { client_capabilities: '{"empty_topic_name": true}' });
    const id = await send(iago, { topic: '' });
    const [source] = await fetchPendingEvents(iago, plain);
    const [html] = await fetchPendingEvents(iago, rendered);
    const [empty] = await fetchPendingEvents(hamlet, modern);
    expect(source?.message).toMatchObject({ id, content: '**b**', subject: 'general chat', avatar_url: null });
    expect(html?.message).toMatchObject({ content: '<p><strong>b</strong></p>' });
    expect(html?.message.avatar_url).toContain('gravatar');
    expect(empty?.message).toMatchObject({ subject: '', sender_email: `user${iago.id}@zulipdev.com` });
  });

  it("contains the client's local_id only in the queue that sent the message", async () => {
    const [sending, other] = [await register(iago), await register(iago)];
    await send(iago, { queue_id: sending, local_id: '77.01' });
    expect((await fetchPendingEvents(iago, sending))[0]?.local_message_id).toBe('77.01');
    expect((await fetchPendingEvents(iago, other))[0]).not.toHaveProperty('local_message_id');
  });

  it('reaches only queues whose narrow matches the message', async () => {
    const otherTypes = await register(hamlet, { event_types: '["presence"]' });
    const narrowed = await register(hamlet, { narrow: '[["stream", "verona"], ["topic", "wanted"]]' });
    const notDirect = await register(hamlet, { narrow: '[["-is", "dm"]]' });
    const wanted = await send(iago, { topic: 'Wanted' });
    await send(iago, { topic: 'other' });
    await send(iago, { type: 'direct', to: `[${hamlet.id}]` });
    expect(await fetchPendingEvents(hamlet, otherTypes)).toEqual([]);
    expect((await fetchPendingEvents(hamlet, narrowed)).map((event) => event.message.id)).toEqual([wanted]);
    expect(await fetchPendingEvents(hamlet, notDirect)).toHaveLength(2);
  });

  it('reaches queues with all_public_streams for public channels, except queues of guests', async () => {
    const looking = await register(hamlet, { all_public_streams: 'true' });
    const ordinary = await register(hamlet);
    const id = await send(iago, { to: 'Scotland' });
    const [event] = await fetchPendingEvents(hamlet, looking);
    expect(event).toMatchObject({ flags: [], message: { id } });
    expect(await fetchPendingEvents(hamlet, ordinary)).toEqual([]);
    const refused = await polonius.client.post<{ msg: string }>('/api/v1/register', {
      form: { all_public_streams: 'true' },
    });
    expect([refused.status, refused.body.msg]).toEqual([400, 'User not authorized for this query']);
  });

  it('does not reach queues with all_public_streams for private channels', async () => {
    const zoe = await signIn(first, 'ZOE');
    const looking = await register(zoe, { all_public_streams: 'true' });
    await send(iago, { to: 'core team' });
    expect(await fetchPendingEvents(zoe, looking)).toEqual([]);
  });

  it('reaches no queue when the message is rejected', async () => {
    const queueId = await register(iago);
    const { status } = await iago.client.post('/api/v1/messages', {
      form: { type: 'channel', to: 'Verona', topic: 'x', content: ' ' },
    });
    expect(status).toBe(400);
    expect(await fetchPendingEvents(iago, queueId)).toEqual([]);
  });

  it('reaches recipients through a later process when the sending process dies', async () => {
    const queueId = await register(iago);
    const dying = await cluster.start();
    const sender = await signIn(dying, 'othello');
    const id = await send(sender);
    await dying.stop();
    const heir = await cluster.start();
    const successor = { ...iago, client: heir.client.withHeaders(authorization(iago)) };
    expect((await poll(successor, queueId)).events.map((event) => event.message.id)).toEqual([id]);
  });
});

function authorization(user: DemoUser): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString('base64')}` };
}
