import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../test/chat-server.js';
import { registerTestEventQueue, send, fetchPendingEvents } from '../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

/** Returns the values of the process's Prometheus metrics by metric name and labels. */
async function figures(): Promise<ReadonlyMap<string, number>> {
  const { text } = await chat.metrics.render();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

it('GET /metrics reports the work of the outbox and of the event log', async () => {
  const dispatched = 'outbox_dispatched_total{topic="chat.missed-message"}';
  const queueId = await registerTestEventQueue(hamlet, { event_types: '["message"]' });
  const before = await figures();
  await send(hamlet, { type: 'direct', to: `[${iago.id}]` });
  expect(await fetchPendingEvents(chat, hamlet, queueId)).toHaveLength(1);
  await expect.poll(async () => (await figures()).get(dispatched) ?? 0).toBeGreaterThan(before.get(dispatched) ?? 0);
  const after = await figures();
  expect(after.get('event_log_appended_total')).toBeGreaterThan(before.get('event_log_appended_total') ?? NaN);
  expect(after.get('event_log_tail_bytes')).toBeGreaterThan(0);
  for (const name of [
    'outbox_oldest_age_seconds',
    'event_log_behind',
    'event_queues',
    'event_polls_held',
    'event_streams',
  ]) {
    expect([name, after.get(name)]).toEqual([name, expect.any(Number)]);
  }
});

it('GET /metrics reports sizes, hits and misses of caches', async () => {
  const before = await figures();
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id?stream=Verona');
  await iago.client.get(`/api/v1/users/me/${body.stream_id}/topics`);
  const after = await figures();
  const misses = 'topic_lists_memory_misses_total';
  expect(after.get(misses)).toBe((before.get(misses) ?? NaN) + 1);
  for (const cache of ['snapshot_memory', 'channel_subscribers_memory', 'topic_lists_memory']) {
    for (const name of ['bytes', 'hits_total', 'misses_total'].map((ending) => `${cache}_${ending}`))
      expect([name, after.get(name)]).toEqual([name, expect.any(Number)]);
  }
});
