import { listenOnFreePort, type ListeningTestService } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../../app/demo/index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { poll, registerTestEventQueue, send } from '../../../test/event-queue-requests.js';
import { EventStream } from '../../../test/event-stream.js';
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let http: ListeningTestService;
const streams: EventStream[] = [];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  http = await listenOnFreePort(chat.app);
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(() => cluster.stop());

const newPassword = 'correct horse battery staple';

async function changePassword(user: DemoUser): Promise<void> {
  const form = { old_password: demoPassword, new_password: newPassword };
  expect((await user.client.patch<{ msg: string }>('/api/v1/settings', { form })).body.msg).toBe('');
}

async function resetPassword(user: DemoUser): Promise<void> {
  const submit = (path: string, form: Record<string, string>) =>
    chat.client.post(path, {
      form: { ...form, csrfmiddlewaretoken: 'abc' },
      headers: { cookie: 'csrftoken=abc' },
      unchecked: true,
    });
  await submit('/accounts/password/reset/', { email: user.email });
  const mail = await new Mailbox(chat).newest(user.email);
  const link = /\/accounts\/password\/reset\/[0-9a-f]+\//.exec(mail)?.[0] ?? '';
  expect((await submit(link, { password: newPassword })).status).toBe(200);
}

/** Signs a user in with a browser session. Returns the Cookie header of the session. */
async function openSession(user: DemoUser): Promise<string> {
  const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { query: { username: user.email } });
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => String(line).split(';', 1)[0])
    .join('; ');
}

async function createScopedKey(user: DemoUser): Promise<string> {
  const form = { name: 'laptop', scopes: '["read"]' };
  return (await user.client.post<{ api_key: string }>('/api/v1/users/me/api_keys', { form })).body.api_key;
}

async function openStream(prefix: 'api/v1' | 'json', queueId: string, headers: Record<string, string>) {
  const url = `${http.url}/${prefix}/events/stream?queue_id=${queueId}&last_event_id=-1`;
  const stream = await EventStream.open(url, headers);
  streams.push(stream);
  return stream;
}

const statusOf = async (path: string, headers: Record<string, string>) =>
  (await chat.client.get(path, { headers, unchecked: true })).status;

/** Starts a poll that waits for messages, with the session of a user. Returns the events in the response. */
async function pollBySession(queueId: string, cookie: string): Promise<unknown> {
  const query = { queue_id: queueId, last_event_id: '-1' };
  const { body } = await chat.client.get<{ events?: unknown }>('/json/events', {
    query,
    headers: { cookie },
    unchecked: true,
  });
  return body.events;
}

describe.each([
  { endpoint: 'PATCH /settings with a new password', names: ['cordelia', 'othello'], setPassword: changePassword },
  { endpoint: 'POST /accounts/password/reset/{token}', names: ['prospero', 'ZOE'], setPassword: resetPassword },
] as const)('$endpoint', ({ names, setPassword }) => {
  it('ends the sessions of the account with their polls, and ends all its streams', async () => {
    const user = await signIn(chat, names[0]);
    const cookie = await openSession(user);
    const polled = pollBySession(await registerTestEventQueue(user, { event_types: '["message"]' }), cookie);
    await expect.poll(() => chat.runtime.eventLog.metrics().waiters).toBeGreaterThan(0);
    const opened = [
      await openStream('json', await registerTestEventQueue(user), { cookie }),
      await openStream('api/v1', await registerTestEventQueue(user), createBasicAuthorization(user.email, user.apiKey)),
    ];
    await setPassword(user);
    expect(await polled).toEqual([]);
    await expect.poll(() => opened.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    expect(await statusOf('/json/users/me', { cookie })).toBe(401);
  });

  it('keeps the API keys of the account valid, with their polls and event queues', async () => {
    const user = await signIn(chat, names[1]);
    const scopedKey = await createScopedKey(user);
    const [polledQueue, streamedQueue] = [await registerTestEventQueue(user), await registerTestEventQueue(user)];
    const polled = poll(user, polledQueue);
    await expect.poll(() => chat.runtime.eventLog.metrics().waiters).toBeGreaterThan(0);
    await setPassword(user);
    for (const key of [user.apiKey, scopedKey]) {
      expect(await statusOf('/api/v1/users/me', createBasicAuthorization(user.email, key))).toBe(200);
      expect((await openStream('api/v1', streamedQueue, createBasicAuthorization(user.email, key))).status).toBe(200);
    }
    const id = await send(user, { type: 'direct', to: `[${user.id}]` });
    expect((await polled).events).toMatchObject([{ type: 'message', message: { id } }]);
  });
});
