import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let polonius: DemoUser;
let verona: number;
let coreTeam: number;

const path = '/api/v1/scheduled_messages';
const later = 4_000_000_000;
const missing = { code: 'NOT_FOUND', msg: 'Scheduled message does not exist' };

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, polonius] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'polonius'),
  ]);
  [verona, coreTeam] = await Promise.all([channelId('Verona'), channelId('core team')]);
});
afterAll(() => cluster.stop());

async function channelId(stream: string): Promise<number> {
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream } });
  return body.stream_id;
}

function formOf(values: Json): Record<string, string> {
  const sent = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    sent.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const channelMessage = () => ({
  type: 'channel',
  to: verona,
  topic: ' plans ',
  content: 'to **all**',
  scheduled_delivery_timestamp: later,
});

const schedule = async (user: DemoUser, values: Json) =>
  (await user.client.post<Json & { scheduled_message_id: number }>(path, { form: formOf(values) })).body;

const change = async (user: DemoUser, id: number, values: Json) =>
  (await user.client.patch<Json>(`${path}/${id}`, { form: formOf(values) })).body;

const list = async (user: DemoUser) =>
  (await user.client.get<{ scheduled_messages: Json[] }>(path)).body.scheduled_messages;

const stored = async (id: number) => (await list(hamlet)).find((message) => message['scheduled_message_id'] === id);

async function registered(user: DemoUser, type: string): Promise<Json> {
  const form = { fetch_event_types: JSON.stringify([type]) };
  return (await user.client.post<Json>('/api/v1/register', { form })).body;
}

const success = { result: 'success', msg: '' };

describe('POST, PATCH and DELETE /scheduled_messages', () => {
  it('emit changes of a scheduled channel message only to clients of the author', async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['scheduled_messages']),
      openTestEventQueue(chat, iago, ['scheduled_messages']),
    ]);
    const { scheduled_message_id: id } = await schedule(hamlet, channelMessage());
    const message = {
      scheduled_message_id: id,
      type: 'stream',
      to: verona,
      topic: 'plans',
      content: 'to **all**',
      rendered_content: '<p>to <strong>all</strong></p>',
      scheduled_delivery_timestamp: later,
      failed: false,
    };
    expect(await list(hamlet)).toEqual([message]);
    expect((await registered(hamlet, 'scheduled_messages'))['scheduled_messages']).toEqual([message]);
    expect(await list(iago)).toEqual([]);
    const changed = { content: 'to *some*', scheduled_delivery_timestamp: later + 1, topic: 'other' };
    expect(await change(hamlet, id, changed)).toEqual(success);
    const after = { ...message, ...changed, rendered_content: '<p>to <em>some</em></p>' };
    expect(await list(hamlet)).toEqual([after]);
    for (const request of [
      iago.client.delete(`${path}/${id}`),
      iago.client.patch(`${path}/${id}`, { form: changed }),
    ]) {
      expect(await request).toMatchObject({ status: 404, body: missing });
    }
    expect((await hamlet.client.delete<Json>(`${path}/${id}`)).body).toEqual(success);
    expect(await hamlet.client.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: missing });
    expect(await own.read()).toEqual([
      { type: 'scheduled_messages', op: 'add', scheduled_messages: [message] },
      { type: 'scheduled_messages', op: 'update', scheduled_message: after },
      { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id },
    ]);
    expect(await others.read()).toEqual([]);
  });

  it('store direct messages with the recipients except the author', async () => {
    const direct = (to: number[]) => ({ ...channelMessage(), type: 'direct', to });
    const several = await schedule(hamlet, direct([polonius.id, hamlet.id, iago.id]));
    const self = await schedule(hamlet, direct([hamlet.id]));
    const shown = await stored(several.scheduled_message_id);
    expect(shown).toMatchObject({ type: 'private', to: [iago.id, polonius.id].toSorted((a, b) => a - b) });
    expect(shown).not.toHaveProperty('topic');
    expect(await stored(self.scheduled_message_id)).toMatchObject({ type: 'private', to: [hamlet.id] });
    const conversations =
      'SELECT FROM recipients WHERE participant_ids @> $1::int[] AND cardinality(participant_ids) = 3';
    const ids = [hamlet.id, iago.id, polonius.id];
    expect((await chat.runtime.database.query(conversations, [ids])).rows).toEqual([]);
  });

  it('change the type of a message only with recipients and topic', async () => {
    const { scheduled_message_id: id } = await schedule(hamlet, channelMessage());
    expect(await change(hamlet, id, {})).toMatchObject({ msg: 'Nothing to change' });
    expect(await change(hamlet, id, { type: 'direct' })).toMatchObject({
      msg: 'A recipient is required to change the type of a scheduled message.',
    });
    expect(await change(hamlet, id, { type: 'direct', to: [iago.id] })).toEqual(success);
    expect(await stored(id)).toMatchObject({ type: 'private', to: [iago.id] });
    expect(await change(hamlet, id, { type: 'channel', to: verona })).toMatchObject({
      msg: 'A topic is required to change the type of a scheduled message to channel.',
    });
    expect(await change(hamlet, id, { type: 'channel', to: verona, topic: '(no topic)' })).toEqual(success);
    expect(await stored(id)).toMatchObject({ type: 'stream', to: verona, topic: '' });
  });

  it('store the value of read_by_sender', async () => {
    const { scheduled_message_id: id } = await schedule(hamlet, { ...channelMessage(), read_by_sender: false });
    expect(await change(hamlet, id, { read_by_sender: true })).toEqual(success);
    const sql = 'SELECT read_by_sender FROM scheduled_messages WHERE id = $1';
    expect((await chat.runtime.database.query(sql, [id])).rows).toEqual([{ read_by_sender: true }]);
  });

  it.each<[string, Json, Json]>([
    [
      'a time in the past',
      { scheduled_delivery_timestamp: 1 },
      { msg: 'Scheduled delivery time must be in the future.' },
    ],
    [
      'a time after the year 9999',
      { scheduled_delivery_timestamp: 253_402_300_800 },
      { code: 'REQUEST_VARIABLE_INVALID' },
    ],
    ['a time that is a text', { scheduled_delivery_timestamp: '"x"' }, { code: 'BAD_REQUEST' }],
    ['no time', { scheduled_delivery_timestamp: undefined }, { code: 'REQUEST_VARIABLE_MISSING' }],
    ['an empty message', { content: ' ' }, { msg: 'Message must not be empty' }],
    ['a list for a channel', { to: [5] }, { msg: 'Invalid data type for channel ID' }],
    ['an id for users', { type: 'direct', to: 5 }, { msg: 'Invalid data type for recipients' }],
    ['a name for a channel', { to: '"Verona"' }, { code: 'BAD_REQUEST' }],
    ['no recipients', { type: 'direct', to: [] }, { msg: 'Message must have recipients' }],
    ['an unknown user', { type: 'direct', to: [999_999] }, { msg: 'Invalid user ID 999999' }],
    ['an unknown channel', { to: 999_999 }, { code: 'STREAM_DOES_NOT_EXIST', stream_id: 999_999 }],
    ['a control character in the topic', { topic: 'a\u0007' }, { msg: 'Invalid character in topic, at position 2!' }],
  ])('reject an invalid scheduled message: %s', async (_name, values, error) => {
    const before = await list(hamlet);
    expect(await schedule(hamlet, { ...channelMessage(), ...values })).toMatchObject({ result: 'error', ...error });
    expect(await list(hamlet)).toEqual(before);
  });

  it('require the permissions to send the message', async () => {
    const hidden = { ...channelMessage(), to: coreTeam };
    expect(await schedule(polonius, hidden)).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
    const { scheduled_message_id: id } = await schedule(polonius, channelMessage());
    expect(await change(polonius, id, { to: coreTeam })).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
    const loud = { content: '@**all**' };
    await chat.runtime.database.query(
      `INSERT INTO subscriptions (user_id, channel_id, color)
       SELECT id, $1, '#76ce90' FROM users WHERE bot_type IS NULL ON CONFLICT DO NOTHING`,
      [verona],
    );
    await chat.runtime.database.query(
      `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
       SELECT realm_id, 'extra' || n || '@example.com', 'extra' || n || '@example.com', 'Extra ' || n, 400
       FROM users, generate_series(1, 16) n WHERE id = $1`,
      [hamlet.id],
    );
    await chat.runtime.database.query(
      `INSERT INTO subscriptions (user_id, channel_id, color)
       SELECT id, $1, '#76ce90' FROM users WHERE full_name LIKE 'Extra %'`,
      [verona],
    );
    expect(await change(polonius, id, loud)).toMatchObject({ code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED' });
  });
});

describe('GET /scheduled_messages', () => {
  it('lists messages in the order of their times, like POST /register', async () => {
    await chat.runtime.database.query('DELETE FROM scheduled_messages WHERE user_id = $1', [iago.id]);
    for (const offset of [5, 3, 4]) {
      await schedule(iago, { ...channelMessage(), scheduled_delivery_timestamp: later + offset });
    }
    const messages = await list(iago);
    expect(messages.map((message) => message['scheduled_delivery_timestamp'])).toEqual([3, 4, 5].map((n) => later + n));
    expect((await registered(iago, 'scheduled_messages'))['scheduled_messages']).toEqual(messages);
  });
});
