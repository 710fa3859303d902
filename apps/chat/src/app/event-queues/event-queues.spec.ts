import { FakeClock } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChatServiceConfig } from '../environment.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { poll, registerTestEventQueue, send, fetchPendingEvents } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let first: ChatProcess;
let second: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  [first, second] = await Promise.all([cluster.start(), cluster.start()]);
  [iago, hamlet] = await Promise.all([signIn(first, 'iago'), signIn(first, 'hamlet')]);
});
afterAll(() => cluster.stop());

/** Returns a client that acts for the same user but sends requests to another process. */
const clientAtProcess = (process: ChatProcess, user: DemoUser): DemoUser => ({
  ...user,
  client: process.client.withHeaders(createBasicAuthorization(user.email, user.apiKey)),
});
const pendingPollCount = (process: ChatProcess) => process.runtime.eventLog.metrics().waiters;

describe('GET /events: pending polls and queue limits', () => {
  it('ends the earlier poll of a queue when another poll starts, also in another process', async () => {
    const queueId = await registerTestEventQueue(iago);
    const earlier = poll(iago, queueId);
    await expect.poll(() => pendingPollCount(first)).toBe(1);
    const later = poll(clientAtProcess(second, iago), queueId);
    expect((await earlier).events).toEqual([]);
    const id = await send(hamlet);
    expect((await later).events.map(({ message }) => message?.id)).toEqual([id]);
  });

  it('lets the client continue in another process when the process with its pending poll stops', async () => {
    const stopping = await cluster.start();
    const queueId = await registerTestEventQueue(iago);
    const polled = poll(clientAtProcess(stopping, iago), queueId);
    await expect.poll(() => pendingPollCount(stopping)).toBe(1);
    await stopping.stop();
    expect((await polled).events).toEqual([]);
    const id = await send(hamlet);
    const [event] = await fetchPendingEvents(first, iago, queueId);
    expect(event).toMatchObject({ type: 'message', message: { id } });
  });

  it('returns a heartbeat within a minute by default, regardless of the event types of the queue', async () => {
    const clock = new FakeClock(Date.now());
    const patient = await cluster.start({}, clock);
    const user = clientAtProcess(patient, iago);
    const queueId = await registerTestEventQueue(user, { event_types: '["presence"]', narrow: '[["is", "dm"]]' });
    const polled = poll(user, queueId);
    await expect.poll(() => pendingPollCount(patient)).toBe(1);
    await clock.advanceTime(44_000);
    expect(pendingPollCount(patient)).toBe(1);
    await clock.advanceTime(16_000);
    expect((await polled).events).toEqual([{ type: 'heartbeat', id: expect.any(Number) }]);
  });

  it('responds BAD_EVENT_QUEUE_ID if more events are pending than EVENT_QUEUE_CAP allows', async () => {
    const strict = await cluster.start({ EVENT_QUEUE_CAP: '2' });
    const queueId = await registerTestEventQueue(iago);
    for (let count = 0; count < 3; count += 1) await send(hamlet);
    await strict.runtime.eventLog.sweep();
    const response = await poll(clientAtProcess(strict, iago), queueId, { dont_block: true });
    expect(response).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: queueId });
    expect(readChatServiceConfig({}).EVENT_QUEUE_CAP).toBe(10_000);
  });

  it('accepts a last_event_id below the first event, and rejects an id that was never assigned', async () => {
    const queueId = await registerTestEventQueue(iago);
    expect(await poll(iago, queueId, { last_event_id: -2, dont_block: true })).toMatchObject({ events: [] });
    const ahead = Number.MAX_SAFE_INTEGER;
    expect(await poll(iago, queueId, { last_event_id: ahead, dont_block: true })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: `Event ${ahead} was not in this queue`,
    });
  });

  it('requires queue_id and last_event_id', async () => {
    for (const query of [{ last_event_id: -1 }, { queue_id: 'x' }]) {
      const { body } = await iago.client.get('/api/v1/events', { query });
      const missing = 'queue_id' in query ? 'last_event_id' : 'queue_id';
      expect(body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', msg: `Missing '${missing}' argument` });
    }
  });

  it.each([
    ['a type that this version does not know', { name: 'not/known', payload: {} }],
    ['another form of one that it knows', { name: 'restart', payload: { older: true } }],
  ])('responds BAD_EVENT_QUEUE_ID after %s, so that the client registers again', async (_name, event) => {
    const queueId = await registerTestEventQueue(iago);
    await first.runtime.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number }>('SELECT id FROM realms');
      first.runtime.eventLog.write(tx, { realm: String(rows[0]!.id), audience: { users: [iago.id] }, event });
    });
    await first.runtime.eventLog.sweep();
    const response = await poll(iago, queueId, { dont_block: true });
    expect(response).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: queueId });
    expect(await fetchPendingEvents(first, iago, await registerTestEventQueue(iago))).toEqual([]);
  });

  it('uses the documented default values of the environment variables', () => {
    expect(readChatServiceConfig({})).toMatchObject({
      EVENT_QUEUE_IDLE_SECONDS: 600,
      EVENT_QUEUE_MOBILE_IDLE_SECONDS: 43_200,
      EVENT_QUEUE_MAX_IDLE_SECONDS: 604_800,
      EVENT_QUEUE_COLLECT_MS: 60_000,
      EVENT_LOG_TAIL_BYTES: 64 * 1024 * 1024,
    });
  });
});

describe('ChatEventWriter.endEventQueuesOfAccounts', () => {
  const endQueues = (ids: number[]) =>
    first.runtime.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number }>('SELECT id FROM realms');
      new ChatEventWriter(first.runtime.eventLog, first.runtime.config).endEventQueuesOfAccounts(tx, rows[0]!.id, ids);
    });

  it('ends the polls of the account in every process after the commit, and no polls of other accounts', async () => {
    const [ended, other, another] = [
      await registerTestEventQueue(iago),
      await registerTestEventQueue(iago),
      await registerTestEventQueue(hamlet),
    ];
    const polled = poll(clientAtProcess(second, iago), ended);
    await expect.poll(() => pendingPollCount(second)).toBe(1);
    await endQueues([iago.id]);
    expect(await polled).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: ended });
    await first.runtime.eventLog.sweep();
    expect(await poll(iago, other, { dont_block: true })).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
    expect(await fetchPendingEvents(first, hamlet, another)).toEqual([]);
    expect(await fetchPendingEvents(first, iago, await registerTestEventQueue(iago))).toEqual([]);
  });
});

describe('GET /events: revoked access', () => {
  /**
   * Starts a chat process that omits all work after a commit. The process thereby behaves like a process that crashes
   * after each commit.
   */
  const dying = async (): Promise<ChatProcess> => {
    const process = await cluster.start();
    process.runtime.eventLog.removeOwned = () => Promise.resolve(0);
    process.runtime.credentials.evictByTag = () => Promise.resolve();
    return process;
  };

  it('ends the polls of a deactivated account even if the process that deactivates the account dies', async () => {
    const zoe = await signIn(first, 'ZOE');
    const polled = poll(zoe, await registerTestEventQueue(zoe));
    await expect.poll(() => pendingPollCount(first)).toBe(1);
    const { status } = await clientAtProcess(await dying(), iago).client.delete(`/api/v1/users/${zoe.id}`);
    expect(status).toBe(200);
    expect(await polled).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
  });

  it('ends the polls of a revoked API key', async () => {
    const cordelia = await signIn(first, 'cordelia');
    const queueId = await registerTestEventQueue(cordelia);
    const polled = poll(cordelia, queueId);
    await expect.poll(() => pendingPollCount(first)).toBe(1);
    const { client } = clientAtProcess(await dying(), cordelia);
    const { body } = await client.post<{ api_key: string }>('/api/v1/users/me/api_key/regenerate');
    expect(body.api_key).toHaveLength(32);
    expect(await polled).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: queueId });
    const renewed = {
      ...cordelia,
      client: first.client.withHeaders(createBasicAuthorization(cordelia.email, body.api_key)),
    };
    expect(await poll(renewed, queueId, { dont_block: true })).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
  });
});
