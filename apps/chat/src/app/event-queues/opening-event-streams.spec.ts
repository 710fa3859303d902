import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { EventStreamCallbacks } from '@switchboard/queue';
import { listenOnFreePort, type ListeningTestService } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { EventStream } from '../../../test/event-stream.js';
import { poll, registerTestEventQueue, send } from '../../../test/event-queue-requests.js';
import type { EventStreamResponse } from './event-stream-response.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let http: ListeningTestService;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  http = await listenOnFreePort(chat.app);
  iago = await signIn(chat, 'iago');
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => cluster.stop());

const openStreams = () => chat.runtime.eventLog.metrics().streams;

/**
 * Calls `change` after the next stream's request is authenticated and before the first byte of its response is sent.
 * The stream then waits until the change has reached the process, and requests events.
 */
function changeDuringNextOpening(change: () => Promise<unknown>): void {
  const { eventLog } = chat.runtime;
  const stream = eventLog.stream.bind(eventLog);
  vi.spyOn(eventLog, 'stream').mockImplementationOnce((wanted, render, callbacks: EventStreamCallbacks) => {
    const response = callbacks as EventStreamResponse;
    const abort = response.abort.bind(response);
    vi.spyOn(response, 'abort').mockImplementationOnce(() => {
      abort();
      stream(wanted, render, callbacks);
    });
    void change();
  });
}

async function responseTo(path: string, headers: Record<string, string>) {
  const stream = await EventStream.open(`${http.url}${path}`, headers);
  await expect.poll(() => stream.isEnded).toBe(true);
  const { status, text } = stream;
  return { status, text };
}

const pathOf = (queueId: string, prefix = 'api/v1') => `/${prefix}/events/stream?queue_id=${queueId}&last_event_id=-1`;

async function refusal(path: string, headers: Record<string, string>) {
  const { status, text } = await responseTo(path, headers);
  return { status, code: (JSON.parse(text) as { code: string }).code };
}

describe('GET /events/stream: credentials revoked while the stream opens', () => {
  afterEach(() => expect.poll(openStreams).toBe(0));

  it('responds 401 if the API key is regenerated', async () => {
    const cordelia = await signIn(chat, 'cordelia');
    const queueId = await registerTestEventQueue(cordelia);
    changeDuringNextOpening(() => cordelia.client.post('/api/v1/users/me/api_key/regenerate'));
    const headers = createBasicAuthorization(cordelia.email, cordelia.apiKey);
    expect(await refusal(pathOf(queueId), headers)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
  });

  it('responds 401 if the API key with scopes is deleted', async () => {
    const keys = '/api/v1/users/me/api_keys';
    const { body } = await iago.client.post<{ api_key: string; key: { id: number } }>(keys, {
      form: { name: 'stream', scopes: '["read"]' },
    });
    const queueId = await registerTestEventQueue(iago);
    changeDuringNextOpening(() => iago.client.delete(`${keys}/${body.key.id}`));
    const headers = createBasicAuthorization(iago.email, body.api_key);
    expect(await refusal(pathOf(queueId), headers)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
  });

  it('does not end the poll of another API key that waits for the queue', async () => {
    const keys = '/api/v1/users/me/api_keys';
    const { body } = await iago.client.post<{ api_key: string; key: { id: number } }>(keys, {
      form: { name: 'stream', scopes: '["read"]' },
    });
    const queueId = await registerTestEventQueue(iago, { event_types: '["message"]' });
    const polled = poll(iago, queueId);
    await expect.poll(() => chat.runtime.eventLog.metrics().waiters).toBe(1);
    changeDuringNextOpening(() => iago.client.delete(`${keys}/${body.key.id}`));
    const headers = createBasicAuthorization(iago.email, body.api_key);
    expect(await refusal(pathOf(queueId), headers)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
    const id = await send(iago);
    expect((await polled).events.map(({ message }) => message?.id)).toEqual([id]);
  });

  it('responds 401 if the account is deactivated', async () => {
    const othello = await signIn(chat, 'othello');
    const queueId = await registerTestEventQueue(othello);
    changeDuringNextOpening(() => iago.client.delete(`/api/v1/users/${othello.id}`));
    const headers = createBasicAuthorization(othello.email, othello.apiKey);
    expect(await refusal(pathOf(queueId), headers)).toEqual({ status: 401, code: 'USER_DEACTIVATED' });
  });

  it('responds 401 if the session is signed out', async () => {
    const signedIn = await chat.client.post('/api/v1/dev_fetch_api_key', {
      query: { username: 'prospero@example.com' },
    });
    const cookies = [signedIn.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0]);
    const cookie = cookies.join('; ');
    const csrf = /csrftoken=(\w+)/.exec(cookie)?.[1] ?? '';
    const queueId = await registerTestEventQueue(await signIn(chat, 'prospero'));
    changeDuringNextOpening(() =>
      chat.client.post('/logout/', { headers: { cookie, 'x-csrftoken': csrf }, unchecked: true }),
    );
    expect(await refusal(pathOf(queueId, 'json'), { cookie })).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  });

  it('ends without events if the credentials are still valid', async () => {
    const zoe = await signIn(chat, 'ZOE');
    const queueId = await registerTestEventQueue(zoe);
    changeDuringNextOpening(() => iago.client.patch(`/api/v1/users/${zoe.id}`, { form: { role: '300' } }));
    const headers = createBasicAuthorization(zoe.email, zoe.apiKey);
    expect(await responseTo(pathOf(queueId), headers)).toEqual({ status: 200, text: 'retry: 1000\n\n' });
  });
});

describe('GET /events/stream: client that disconnects during its authentication', () => {
  it('leaves no stream, and does not end the next poll of its queue', async () => {
    const { authenticator, eventLog } = chat.runtime;
    const queueId = await registerTestEventQueue(iago, { event_types: '["message"]' });
    const server = chat.app.getHttpServer();
    const arrived = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const authenticate = authenticator.authenticate.bind(authenticator);
    vi.spyOn(authenticator, 'authenticate').mockImplementationOnce((received) =>
      released.then(() => authenticate(received)),
    );
    const sent = request(`${http.url}${pathOf(queueId)}`, {
      headers: createBasicAuthorization(iago.email, iago.apiKey),
      agent: false,
    });
    sent.on('error', () => {}).end();
    const [, response] = await arrived;
    await vi.waitFor(() => expect(authenticator.authenticate).toHaveBeenCalled(), { timeout: 30_000 });
    sent.destroy();
    if (!response.closed) await once(response, 'close');
    const polled = poll(iago, queueId);
    await expect.poll(() => eventLog.metrics().waiters).toBe(1);
    release();
    // Redis serves the requests in order, so that the disconnected one is handled before the message is sent.
    const id = await send(iago);
    expect((await polled).events.map(({ message }) => message?.id)).toEqual([id]);
    expect(openStreams()).toBe(0);
    await expect.poll(() => eventLog.metrics().waiters).toBe(0);
  });
});
