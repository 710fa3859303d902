import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedServerVersion } from '../../core/realms/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { fetchPendingEvents, registerTestEventQueue } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

describe('announceVersion', () => {
  const restarts = async (user: DemoUser, queueId: string) =>
    (await fetchPendingEvents(chat, user, queueId)).filter(({ type }) => type === 'restart');

  it('emits no restart event when the version and feature level are unchanged', async () => {
    const queueId = await registerTestEventQueue(iago);
    await cluster.start();
    expect(await fetchPendingEvents(chat, iago, queueId)).toEqual([]);
  });

  it('emits one restart event when the version or feature level changes, however many processes start', async () => {
    const queues = [await registerTestEventQueue(iago), await registerTestEventQueue(hamlet)];
    await chat.runtime.database.query('UPDATE server_version SET zulip_feature_level = zulip_feature_level - 1');
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    await cluster.start();
    for (const [index, user] of [iago, hamlet].entries()) {
      expect(await restarts(user, queues[index]!)).toEqual([
        { type: 'restart', id: expect.any(Number), server_generation: expect.any(Number), ...announcedServerVersion },
      ]);
    }
  });

  it('emits no restart event to queues of other event types, nor on a new server', async () => {
    const queueId = await registerTestEventQueue(iago, { event_types: '["message"]' });
    await chat.runtime.database.query('DELETE FROM server_version');
    await cluster.start();
    const all = await registerTestEventQueue(hamlet);
    await chat.runtime.database.query("UPDATE server_version SET zulip_version = '11.0'");
    await cluster.start();
    expect(await restarts(iago, queueId)).toEqual([]);
    expect(await restarts(hamlet, all)).toHaveLength(1);
  });
});
