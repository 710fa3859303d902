import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import { openTestEventQueue } from '../../../../test/test-event-queue.js';

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

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface Sent {
  id: number;
  msg: string;
  automatic_new_visibility_policy?: number;
}

async function send(user: DemoUser, form: Record<string, string>): Promise<Sent> {
  const { body } = await user.client.post<Sent>('/api/v1/messages', {
    form: { type: 'channel', to: 'Verona', content: 'x', ...form },
  });
  expect(body.msg).toBe('');
  return body;
}

async function setOwn(user: DemoUser, settings: Record<string, unknown>): Promise<void> {
  await query('UPDATE users SET settings = settings || $1::jsonb WHERE id = $2', [JSON.stringify(settings), user.id]);
}

async function muteVerona(user: DemoUser, isMuted: boolean): Promise<void> {
  await query(
    `UPDATE subscriptions SET is_muted = $2
     WHERE user_id = $1 AND channel_id = (SELECT id FROM channels WHERE name = 'Verona')`,
    [user.id, isMuted],
  );
}

describe('POST /messages with automatically_follow_topics_policy', () => {
  it('makes the sender follow only topics that the sender starts, with one event per topic', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['user_topic']);
    expect(await send(hamlet, { topic: 'begun' })).toMatchObject({ automatic_new_visibility_policy: 3 });
    expect(await queue.read()).toMatchObject([{ topic_name: 'begun', visibility_policy: 3 }]);
    expect(await send(hamlet, { topic: 'Begun' })).not.toHaveProperty('automatic_new_visibility_policy');
    expect(await send(iago, { topic: 'begun' })).not.toHaveProperty('automatic_new_visibility_policy');
    expect(await queue.read()).toEqual([]);
  });

  it('makes the sender follow topics according to the setting, also for messages with mentions', async () => {
    await send(iago, { topic: 'set' });
    await setOwn(hamlet, { automatically_follow_topics_policy: 2 });
    expect(await send(hamlet, { topic: 'set', content: '@**Iago**' })).toMatchObject({
      automatic_new_visibility_policy: 3,
    });
    await setOwn(hamlet, { automatically_follow_topics_policy: 4 });
    expect(await send(hamlet, { topic: 'set again' })).not.toHaveProperty('automatic_new_visibility_policy');
    await muteVerona(hamlet, true);
    expect(await send(hamlet, { topic: 'set again' })).toMatchObject({ automatic_new_visibility_policy: 2 });
    expect(await send(hamlet, { topic: 'set again' })).not.toHaveProperty('automatic_new_visibility_policy');
    await setOwn(hamlet, { automatically_unmute_topics_in_muted_streams_policy: 4 });
    expect(await send(hamlet, { topic: 'set otherwise' })).not.toHaveProperty('automatic_new_visibility_policy');
    await muteVerona(hamlet, false);
  });
});

describe('POST /messages with automatically_follow_topics_where_mentioned', () => {
  it('makes a mentioned user follow the topic, unless the user muted the topic or disabled the setting', async () => {
    const queue = await openTestEventQueue(chat, iago, ['user_topic']);
    await send(hamlet, { topic: 'called', content: '@**Iago** @**aaron**' });
    await send(hamlet, { topic: 'called', content: '@**Iago**' });
    expect(await queue.read()).toMatchObject([{ topic_name: 'called', visibility_policy: 3 }]);
    const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'Verona' },
    });
    await iago.client.post('/api/v1/user_topics', {
      form: { stream_id: body.stream_id, topic: 'called', visibility_policy: 1 },
    });
    await send(hamlet, { topic: 'called', content: '@**Iago**' });
    await setOwn(iago, { automatically_follow_topics_where_mentioned: false });
    await send(hamlet, { topic: 'called again', content: '@**Iago**' });
    expect(await queue.read()).toMatchObject([{ topic_name: 'called', visibility_policy: 1 }]);
  });
});

describe('POST /messages: first_message_id', () => {
  it('emits the oldest of concurrent first messages to users who can see the channel', async () => {
    await iago.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: JSON.stringify([{ name: 'brand new' }]), principals: JSON.stringify([hamlet.id]) },
    });
    await query(
      `DELETE FROM messages USING recipients r, channels c
       WHERE r.id = recipient_id AND c.id = r.channel_id AND c.name = 'brand new'`,
    );
    const queue = await openTestEventQueue(chat, iago, ['stream']);
    const sent = await Promise.all([
      send(hamlet, { to: 'brand new', topic: 'a' }),
      send(hamlet, { to: 'brand new', topic: 'b' }),
    ]);
    const events = await queue.read();
    const oldest = Math.min(...sent.map(({ id }) => id));
    expect(events.at(-1)).toMatchObject({ op: 'update', property: 'first_message_id', value: oldest });
    expect(events).toHaveLength(1);
  });
});
