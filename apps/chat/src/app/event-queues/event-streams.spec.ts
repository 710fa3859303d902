import { listenOnFreePort, type ListeningTestService } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { EventStream } from '../../../test/event-stream.js';
import { fetchPendingEvents, poll, registerTestEventQueue, send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let http: ListeningTestService;
let iago: DemoUser;
let hamlet: DemoUser;
const streams: EventStream[] = [];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  http = await listenOnFreePort(chat.app);
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(() => cluster.stop());

interface StreamOptions {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly reads?: boolean;
  readonly at?: ListeningTestService;
}

async function open(user: DemoUser, queueId: string, options: StreamOptions = {}): Promise<EventStream> {
  const { query = { last_event_id: '-1' }, headers, at = http, ...rest } = options;
  const parameters = new URLSearchParams({ queue_id: queueId, ...query });
  const url = `${at.url}/api/v1/events/stream?${parameters}`;
  const stream = await EventStream.open(
    url,
    { ...createBasicAuthorization(user.email, user.apiKey), ...headers },
    rest,
  );
  streams.push(stream);
  return stream;
}

const openStreams = (process = chat) => process.runtime.eventLog.metrics().streams;

async function ended(stream: EventStream): Promise<void> {
  await expect.poll(() => stream.isEnded).toBe(true);
}

async function received(stream: EventStream, count: number): Promise<EventStream['events']> {
  await expect.poll(() => stream.events.length).toBe(count);
  return stream.events;
}

describe('GET /events/stream', () => {
  it('sends the events of GET /events as server-sent events with the same ids', async () => {
    const queueId = await registerTestEventQueue(iago, { apply_markdown: 'true' });
    const before = await send(hamlet, { content: '**waiting**' });
    const stream = await open(iago, queueId);
    const [first] = await received(stream, 1);
    const after = await send(hamlet, { content: 'line\n\nnext\u2028end' });
    const events = await received(stream, 2);
    expect(events.map(({ message }) => message?.id)).toEqual([before, after]);
    expect(first?.message).toMatchObject({ content: '<p><strong>waiting</strong></p>' });
    expect(stream.messages.map(({ id }) => id)).toEqual(events.map(({ id }) => String(id)));
    expect(await fetchPendingEvents(chat, iago, queueId)).toEqual(events);
  });

  it('sends an event that another process commits, for a queue that another process registered', async () => {
    const other = await cluster.start();
    const elsewhere = (user: DemoUser) => ({
      ...user,
      client: other.client.withHeaders(createBasicAuthorization(user.email, user.apiKey)),
    });
    const stream = await open(iago, await registerTestEventQueue(elsewhere(iago)));
    const id = await send(elsewhere(hamlet));
    expect((await received(stream, 1))[0]?.message?.id).toBe(id);
  });

  it('has headers that keep proxies from buffering, compressing and caching the stream', async () => {
    const stream = await open(iago, await registerTestEventQueue(iago), { headers: { 'accept-encoding': 'gzip, br' } });
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-request-id': expect.any(String),
    });
    expect(stream.headers['cache-control']).toContain('no-transform');
    expect(stream.headers).not.toHaveProperty('content-encoding');
  });

  it('ends the response to HEAD immediately', async () => {
    const stream = await open(iago, await registerTestEventQueue(iago), { method: 'HEAD' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await ended(stream);
    await expect.poll(() => openStreams()).toBe(0);
  });

  it('sends heartbeats with event ids, and GET /events accepts these ids as last_event_id', async () => {
    const process = await cluster.start({ EVENT_HEARTBEAT_MS: '300' });
    const at = await listenOnFreePort(process.app);
    const queueId = await registerTestEventQueue(iago, { event_types: '["presence"]' });
    const stream = await open(iago, queueId, { at });
    const beats = await received(stream, 3);
    expect(beats.map(({ type }) => type)).toEqual(['heartbeat', 'heartbeat', 'heartbeat']);
    expect(beats[1]!.id).toBeGreaterThan(beats[0]!.id);
    expect(stream.messages.map(({ id }) => id)).toEqual(beats.map(({ id }) => String(id)));
    stream.close();
    const query = { last_event_id: beats[2]!.id, dont_block: true };
    expect(await poll(iago, queueId, query)).toMatchObject({ result: 'success', events: [] });
  });
});

describe('GET /events/stream: acknowledgement', () => {
  it('continues after the Last-Event-ID header instead of the parameter, and acknowledges events up to that id', async () => {
    const queueId = await registerTestEventQueue(iago);
    const [, second] = [await send(hamlet), await send(hamlet)];
    const [first] = await received(await open(iago, queueId), 2);
    const stream = await open(iago, queueId, { headers: { 'last-event-id': String(first!.id) } });
    expect((await received(stream, 1))[0]?.message?.id).toBe(second);
    expect(await poll(iago, queueId, { dont_block: true })).toMatchObject({
      msg: 'An event newer than -1 has already been pruned!',
    });
  });

  it('retains sent events until a later request acknowledges these events', async () => {
    const queueId = await registerTestEventQueue(iago);
    const lost = await open(iago, queueId);
    await send(hamlet);
    await send(hamlet);
    const events = await received(lost, 2);
    lost.close();
    await expect.poll(() => openStreams()).toBe(0);
    await chat.runtime.eventLog.sweep();
    expect(await received(await open(iago, queueId), 2)).toEqual(events);
  });

  it('ends after EVENT_STREAM_MS, so that the client acknowledges the received events', async () => {
    const process = await cluster.start({ EVENT_STREAM_MS: '1000', EVENT_HEARTBEAT_MS: '300' });
    const at = await listenOnFreePort(process.app);
    const queueId = await registerTestEventQueue(iago, { event_types: '["message"]' });
    const stream = await open(iago, queueId, { at });
    await ended(stream);
    const last = stream.messages.at(-1)?.id ?? '';
    expect(stream.messages.every(({ event }) => event === undefined)).toBe(true);
    const id = await send(hamlet);
    const next = await open(iago, queueId, { headers: { 'last-event-id': last } });
    expect((await received(next, 1))[0]?.message?.id).toBe(id);
  });
});

describe('GET /events/stream: other requests for the queue', () => {
  it('ends when a poll or another stream takes over the queue, and ends a pending poll', async () => {
    const queueId = await registerTestEventQueue(iago);
    const first = await open(iago, queueId);
    const polled = poll(iago, queueId);
    await ended(first);
    const second = await open(iago, queueId);
    expect((await polled).events).toEqual([]);
    const third = await open(iago, queueId);
    await ended(second);
    const id = await send(hamlet);
    expect((await received(third, 1))[0]?.message?.id).toBe(id);
    expect([...first.messages, ...second.messages]).toEqual([]);
    expect(openStreams()).toBe(1);
  });

  it('ends when a stream of another process takes over the queue', async () => {
    const at = await listenOnFreePort((await cluster.start()).app);
    const queueId = await registerTestEventQueue(iago);
    const first = await open(iago, queueId);
    const second = await open(iago, queueId, { at });
    await ended(first);
    const id = await send(hamlet);
    expect((await received(second, 1))[0]?.message?.id).toBe(id);
  });

  it('leaves only the last of many streams of the same queue open', async () => {
    const queueId = await registerTestEventQueue(iago);
    const opened: EventStream[] = [];
    for (let count = 0; count < 200; count += 50) {
      opened.push(...(await Promise.all(Array.from({ length: 50 }, () => open(iago, queueId)))));
    }
    expect(opened.filter(({ status }) => status !== 200)).toEqual([]);
    await expect.poll(() => openStreams()).toBe(1);
    await expect.poll(() => opened.filter(({ isEnded }) => !isEnded).length).toBe(1);
    const { text } = await chat.metrics.render();
    expect(text).toMatch(/^event_streams 1$/m);
  });
});
