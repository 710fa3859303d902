import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEventWriter } from '../../events/chat-events.js';
import { updateChannelTraffic } from './index.js';
import { ChannelState } from '../../../test/client-of-channels.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let id: number;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
  await hamlet.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions: '[{"name": "busy"}]' } });
  const { body } = await hamlet.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
    query: { stream: 'busy' },
  });
  id = body.stream_id;
  for (let count = 0; count < 6; count += 1) await send(hamlet, { to: 'busy' });
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

/** Runs the job that measures channel traffic, with a clock that is ahead by the given number of days. */
async function measure(days: number): Promise<void> {
  const { database, eventLog, config, clock } = chat.runtime;
  const then = { ...clock, now: () => Date.now() + days * 86_400_000 };
  await updateChannelTraffic({ database, events: new ChatEventWriter(eventLog, config), clock: then });
}

async function createBusyChannel() {
  const { body } = await hamlet.client.get<{ stream: Json }>(`/api/v1/streams/${id}`);
  return [body.stream['stream_weekly_traffic'], body.stream['is_recently_active']];
}

describe('updateChannelTraffic', () => {
  it('stores null in the first week, then the weekly average of up to four weeks', async () => {
    expect(await createBusyChannel()).toEqual([null, true]);
    await measure(6.9);
    expect(await createBusyChannel()).toEqual([null, true]);
    await measure(14);
    expect(await createBusyChannel()).toEqual([3, true]);
    await measure(27.9);
    expect(await createBusyChannel()).toEqual([2, true]);
    await measure(29);
    expect(await createBusyChannel()).toEqual([0, true]);
    await measure(179);
    expect(await createBusyChannel()).toEqual([0, true]);
    await measure(181);
    expect(await createBusyChannel()).toEqual([0, false]);
    await measure(0);
    expect(await createBusyChannel()).toEqual([null, true]);
  });

  it('emits one event per changed channel to users who can see the channel', async () => {
    const polonius = await signIn(chat, 'polonius');
    const [his, guests] = [
      await openTestEventQueue(chat, hamlet, ['stream']),
      await openTestEventQueue(chat, polonius, ['stream']),
    ];
    for (let count = 0; count < 2; count += 1) await measure(200);
    const common = { type: 'stream', op: 'update', stream_id: id, name: 'busy' };
    const told = (await his.read()).filter((event) => event['stream_id'] === id);
    expect(told).toEqual([
      { ...common, property: 'stream_weekly_traffic', value: 0 },
      { ...common, property: 'is_recently_active', value: false },
    ]);
    expect((await guests.read()).filter((event) => event['stream_id'] === id)).toEqual([]);
  });

  it('emits events that update an earlier snapshot of a client to the state of a new snapshot', async () => {
    const form = { event_types: '["stream", "subscription", "default_streams"]', include_subscribers: 'true' };
    const register = async () => (await hamlet.client.post<Json>('/api/v1/register', { form })).body;
    const before = await register();
    const state = new ChannelState(hamlet.id, before);
    await measure(0);
    await measure(20);
    await chat.runtime.eventLog.sweep();
    const { body } = await hamlet.client.get<{ events: Json[] }>('/api/v1/events', {
      query: { queue_id: String(before['queue_id']), last_event_id: -1, dont_block: true },
    });
    for (const event of body.events) state.apply(event);
    expect(state.toJSON()).toEqual(new ChannelState(hamlet.id, await register()).toJSON());
  });

  it('runs periodically as a background job', { timeout: 40_000 }, async () => {
    const clock = { ...chat.runtime.clock, now: () => Date.now() + 29 * 86_400_000 };
    await measure(0);
    // Processes of one deployment must agree on the period.
    await chat.stop();
    chat = await cluster.start({ CHANNEL_TRAFFIC_PERIOD_MS: '100' }, clock);
    hamlet = await signIn(chat, 'hamlet');
    await expect.poll(createBusyChannel, { timeout: 30_000 }).toEqual([0, true]);
  });
});
