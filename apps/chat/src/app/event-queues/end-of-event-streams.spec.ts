import { connect } from 'node:net';
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
import { registerTestEventQueue, send } from '../../../test/event-queue-requests.js';

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

async function openUrl(path: string, headers: Record<string, string>, at = http, reads = true): Promise<EventStream> {
  const stream = await EventStream.open(`${at.url}${path}`, headers, { reads });
  streams.push(stream);
  return stream;
}

const open = (user: DemoUser, queueId: string, at = http, reads = true): Promise<EventStream> =>
  openUrl(
    `/api/v1/events/stream?queue_id=${queueId}&last_event_id=-1`,
    createBasicAuthorization(user.email, user.apiKey),
    at,
    reads,
  );

async function ended(stream: EventStream): Promise<void> {
  await expect.poll(() => stream.isEnded).toBe(true);
}

async function refused(path: string, headers: Record<string, string>) {
  const stream = await openUrl(path, headers);
  await ended(stream);
  const { status, text } = stream;
  return { status, type: stream.headers['content-type'], body: JSON.parse(text) as Record<string, unknown> };
}

const badQueue = (queueId: string) => ({
  result: 'error',
  code: 'BAD_EVENT_QUEUE_ID',
  msg: `Bad event queue ID: ${queueId}`,
  queue_id: queueId,
});

describe('GET /events/stream: rejected requests', () => {
  const json = 'application/json; charset=utf-8';

  it('responds with the JSON errors of GET /events before the stream begins', async () => {
    const own = createBasicAuthorization(iago.email, iago.apiKey);
    const queueId = await registerTestEventQueue(iago);
    const foreign = await registerTestEventQueue(hamlet);
    const path = '/api/v1/events/stream?queue_id=';
    expect(await refused(`${path}none&last_event_id=-1`, own)).toEqual({
      status: 400,
      type: json,
      body: badQueue('none'),
    });
    expect((await refused(`${path}${foreign}&last_event_id=-1`, own)).body).toEqual(badQueue(foreign));
    expect((await refused(`${path}${queueId}&last_event_id=10000000`, own)).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Event 10000000 was not in this queue',
    });
    expect((await refused(`${path}${queueId}&last_event_id=-1`, {})).status).toBe(401);
    expect(chat.runtime.eventLog.metrics().streams).toBe(0);
  });

  it.each([
    ['no position', '', {}, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'last_event_id' }],
    ['a header that is no integer', '&last_event_id=-1', { 'last-event-id': '1.5' }, { code: 'BAD_REQUEST' }],
    ['a header beyond all ids', '', { 'last-event-id': '9999999999999999' }, { code: 'BAD_REQUEST' }],
  ])('responds 400 to %s', async (_name, parameter, headers, body) => {
    const path = `/api/v1/events/stream?queue_id=${await registerTestEventQueue(iago)}${parameter}`;
    const response = await refused(path, { ...createBasicAuthorization(iago.email, iago.apiKey), ...headers });
    expect(response).toMatchObject({ status: 400, type: json, body });
  });

  it('responds 400 to a pipelined request, because the server could not detect that its client disconnects', async () => {
    const queueId = await registerTestEventQueue(iago);
    const { authorization } = createBasicAuthorization(iago.email, iago.apiKey);
    const path = `/api/v1/events/stream?queue_id=${queueId}&last_event_id=-1`;
    const message = `GET ${path} HTTP/1.1\r\nHost: ${new URL(http.url).host}\r\nAuthorization: ${authorization}\r\n\r\n`;
    let text = '';
    const socket = connect(Number(new URL(http.url).port), '127.0.0.1').on('data', (data) => (text += String(data)));
    socket.write(message.repeat(2));
    await expect.poll(() => text).toContain('200 OK');
    await iago.client.delete('/api/v1/events', { form: { queue_id: queueId } });
    await expect.poll(() => text).toContain('400 Bad Request');
    expect(text).toContain('cannot be pipelined');
    socket.destroy();
    await expect.poll(() => chat.runtime.eventLog.metrics().streams).toBe(0);
  });

  it('counts a stream as one request in the rate limit of the user, however many events are sent', async () => {
    const limited = await cluster.start({ RATE_LIMIT_API_BY_USER: '600:3' });
    const at = await listenOnFreePort(limited.app);
    const zoe = await signIn(chat, 'ZOE');
    const queueId = await registerTestEventQueue(zoe);
    const stream = await open(zoe, queueId, at);
    expect(stream.headers['x-ratelimit-remaining']).toBe('2');
    for (let count = 0; count < 5; count += 1) await send(hamlet, { to: 'Denmark' });
    await expect.poll(() => stream.events.length).toBe(5);
    const statuses: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await open(zoe, queueId, at)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('GET /events/stream: end of a stream', () => {
  it('sends BAD_EVENT_QUEUE_ID as its last message when the queue is deleted', async () => {
    const queueId = await registerTestEventQueue(iago);
    const stream = await open(iago, queueId);
    await iago.client.delete('/api/v1/events', { form: { queue_id: queueId } });
    await ended(stream);
    expect(stream.messages).toEqual([{ event: 'error', data: badQueue(queueId) }]);
  });

  it('ends when the API key is revoked, and rejects requests with the old key', async () => {
    const cordelia = await signIn(chat, 'cordelia');
    const stream = await open(cordelia, await registerTestEventQueue(cordelia));
    await cordelia.client.post('/api/v1/users/me/api_key/regenerate');
    await ended(stream);
    expect(stream.events).toEqual([]);
    expect((await open(cordelia, 'any')).status).toBe(401);
  });

  it('ends when the scoped API key of the stream is deleted, and leaves streams of other keys open', async () => {
    const keys = '/api/v1/users/me/api_keys';
    const { body } = await hamlet.client.post<{ api_key: string; key: { id: number } }>(keys, {
      form: { name: 'stream', scopes: '["read"]' },
    });
    const scoped = { ...hamlet, apiKey: body.api_key };
    const queueId = await registerTestEventQueue(hamlet);
    const [stream, other] = [await open(scoped, queueId), await open(hamlet, await registerTestEventQueue(hamlet))];
    await hamlet.client.delete(`${keys}/${body.key.id}`);
    await ended(stream);
    expect((await open(scoped, queueId)).status).toBe(401);
    expect(other.isEnded).toBe(false);
  });

  it('ends when the account is deactivated in another process', async () => {
    const other = await cluster.start();
    const othello = await signIn(chat, 'othello');
    const stream = await open(othello, await registerTestEventQueue(othello));
    const administrator = other.client.withHeaders(createBasicAuthorization(iago.email, iago.apiKey));
    expect((await administrator.delete(`/api/v1/users/${othello.id}`)).status).toBe(200);
    await ended(stream);
    expect((await open(othello, 'any')).status).toBe(401);
  });

  it('authenticates a stream under /json by the browser session, and ends the stream when the user signs out', async () => {
    const signedIn = await chat.client.post('/api/v1/dev_fetch_api_key', {
      query: { username: 'prospero@example.com' },
    });
    const cookies = [signedIn.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0]);
    const cookie = cookies.join('; ');
    const prospero = await signIn(chat, 'prospero');
    const path = `/json/events/stream?queue_id=${await registerTestEventQueue(prospero)}&last_event_id=-1`;
    const stream = await openUrl(path, { cookie });
    expect(stream.headers).not.toHaveProperty('access-control-allow-origin');
    const id = await send(iago, { type: 'direct', to: `[${prospero.id}]` });
    await expect.poll(() => stream.events.map(({ message }) => message?.id)).toEqual([id]);
    const csrf = /csrftoken=(\w+)/.exec(cookie)?.[1] ?? '';
    await chat.client.post('/logout/', { headers: { cookie, 'x-csrftoken': csrf }, unchecked: true });
    await ended(stream);
    expect((await openUrl(path, { cookie })).status).toBe(401);
  });

  it('ends when its process stops, and continues when the client connects to another process', async () => {
    const stopping = await cluster.start();
    const at = await listenOnFreePort(stopping.app);
    const queueId = await registerTestEventQueue(iago);
    const stream = await open(iago, queueId, at);
    const first = await send(hamlet);
    await expect.poll(() => stream.events.map(({ message }) => message?.id)).toEqual([first]);
    await stopping.stop();
    await ended(stream);
    const second = await send(hamlet);
    const next = await open(iago, queueId);
    await expect.poll(() => next.events.map(({ message }) => message?.id)).toEqual([first, second]);
  });
});

describe('GET /events/stream: a client that does not read', () => {
  const IDS = 50_000;
  const EVENT_BYTES = IDS * 8;
  const EVENTS = 16;
  let queueId: string;

  /** Emits events whose total size exceeds the buffers of a connection. */
  beforeAll(async () => {
    queueId = await registerTestEventQueue(iago, { event_types: '["update_message_flags"]' });
    const { database, eventLog } = chat.runtime;
    const messageIds = Array.from({ length: IDS }, (_, index) => 1_000_000 + index);
    const event = { name: 'update_message_flags/add', payload: { flag: 'read', messageIds } };
    await database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number }>('SELECT id FROM realms');
      const entry = { realm: String(rows[0]!.id), audience: { users: [iago.id] }, event };
      for (let count = 0; count < EVENTS; count += 1) eventLog.write(tx, entry);
    });
    await eventLog.sweep();
  });

  it('buffers at most about one event in the memory of the server', async () => {
    const written: number[] = [];
    let timer: NodeJS.Timeout | undefined;
    chat.app.getHttpServer().once('request', (_request: unknown, response: { writableLength: number }) => {
      timer = setInterval(() => written.push(response.writableLength), 5);
    });
    await open(iago, queueId, http, false);
    await expect.poll(() => written.filter((length) => length > 0).length).toBeGreaterThan(100);
    clearInterval(timer);
    expect(Math.max(...written)).toBeLessThan(2 * EVENT_BYTES);
  });

  it('loses its connection after EVENT_STREAM_WRITE_MS', async () => {
    const impatient = await cluster.start({ EVENT_STREAM_WRITE_MS: '500' });
    const openStreams = () => impatient.runtime.eventLog.metrics().streams;
    // The stream has been opened when its headers arrive, and may have ended since on a busy machine.
    const stream = await open(iago, queueId, await listenOnFreePort(impatient.app), false);
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await expect.poll(openStreams).toBe(0);
  });

  it('sends all events when the client reconnects and reads', async () => {
    const stream = await open(iago, queueId);
    await expect.poll(() => stream.events.length).toBe(EVENTS);
    expect(new Set(stream.events.map(({ id }) => id)).size).toBe(EVENTS);
  });
});
