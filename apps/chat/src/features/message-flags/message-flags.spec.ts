import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(name, id);
});
afterAll(() => cluster.stop());

const idOf = (name: string): number => channels.get(name) ?? 0;

interface ResponseBody {
  msg: string;
  code?: string;
  messages?: number[];
  complete?: boolean;
  ignored_because_not_subscribed_channels?: number[];
}

async function flag(user: DemoUser, op: string, name: string, messages: number[]): Promise<ResponseBody> {
  const form = { op, flag: name, messages: JSON.stringify(messages) };
  return (await user.client.post<ResponseBody>('/api/v1/messages/flags', { form })).body;
}

async function flagNarrow(user: DemoUser, form: Record<string, string | number | boolean>) {
  const path = '/api/v1/messages/flags/narrow';
  return (await user.client.post<Record<string, unknown>>(path, { form })).body;
}

async function mark(user: DemoUser, what: string, form: Record<string, string | number> = {}): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/mark_${what}_as_read`, { form })).body;
}

async function flagsOf(user: DemoUser, id: number): Promise<string[]> {
  const { body } = await user.client.get<{ message: { flags: string[] } }>(`/api/v1/messages/${id}`);
  return body.message.flags;
}

describe('POST /messages/flags', () => {
  it('marks messages as read and reports only changed ids', async () => {
    const ids = [await send(hamlet), await send(hamlet)];
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, iago, ['update_message_flags']),
      openTestEventQueue(chat, cordelia, ['update_message_flags']),
    ]);
    expect(await flag(iago, 'add', 'read', ids.slice(0, 1))).toEqual({
      result: 'success',
      msg: '',
      messages: ids.slice(0, 1),
    });
    expect((await flag(iago, 'add', 'read', ids)).messages).toEqual(ids.slice(1));
    expect((await flag(iago, 'add', 'read', ids)).messages).toEqual([]);
    const event = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false };
    expect(await own.read()).toEqual([
      { ...event, messages: ids.slice(0, 1) },
      { ...event, messages: ids.slice(1) },
    ]);
    expect(await others.read()).toEqual([]);
    expect(await flagsOf(iago, ids[0] ?? 0)).toEqual(['read']);
    expect(await flagsOf(cordelia, ids[0] ?? 0)).toEqual([]);
  });

  it('marks messages as unread, and emits the details that clients count', async () => {
    const topic = await send(hamlet, { topic: 'unread', content: '@**Iago**' });
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id, cordelia.id]) });
    await flag(iago, 'add', 'read', [topic, direct]);
    const queue = await openTestEventQueue(chat, iago, ['update_message_flags']);
    expect(await flag(iago, 'remove', 'read', [topic, direct])).toMatchObject({
      messages: [topic, direct],
      ignored_because_not_subscribed_channels: [],
    });
    expect(await queue.read()).toEqual([
      {
        type: 'update_message_flags',
        op: 'remove',
        operation: 'remove',
        flag: 'read',
        all: false,
        messages: [topic, direct],
        message_details: {
          [topic]: {
            type: 'stream',
            stream_id: idOf('Verona'),
            topic: 'unread',
            mentioned: true,
            unmuted_stream_msg: true,
          },
          [direct]: { type: 'private', user_ids: [cordelia.id, hamlet.id].toSorted((a, b) => a - b) },
        },
      },
    ]);
  });

  it('skips messages of unsubscribed channels, and returns these channels as ignored', async () => {
    const id = await send(hamlet, { to: 'Denmark' });
    expect(await flag(cordelia, 'remove', 'read', [id])).toMatchObject({
      msg: '',
      ignored_because_not_subscribed_channels: [idOf('Denmark')],
    });
    expect(await flagsOf(cordelia, id)).toEqual(['read', 'historical']);
  });

  it.each(['starred', 'collapsed'])(
    'adds a message that the user marks as %s to the history of the user',
    async (name) => {
      const id = await send(hamlet, { to: 'Denmark' });
      const queue = await openTestEventQueue(chat, cordelia, ['update_message_flags']);
      expect((await flag(cordelia, 'add', name, [id])).msg).toBe('');
      expect(await flagsOf(cordelia, id)).toEqual(['read', name, 'historical']);
      expect((await flag(cordelia, 'remove', name, [id])).msg).toBe('');
      expect(await flagsOf(cordelia, id)).toEqual(['read', 'historical']);
      expect(await queue.read()).toMatchObject([
        { op: 'add', flag: name, messages: [id] },
        { op: 'remove', flag: name, messages: [id] },
      ]);
    },
  );

  it('changes nothing when any message is missing or hidden', async () => {
    const [open, hidden] = [await send(hamlet), await send(hamlet, { to: 'core team' })];
    for (const id of [hidden, 999_999_999]) {
      expect(await flag(cordelia, 'add', 'read', [open, id])).toMatchObject({
        code: 'BAD_REQUEST',
        msg: 'Invalid message(s)',
      });
    }
    expect(await flagsOf(cordelia, open)).toEqual([]);
  });

  it.each([
    ['an unknown flag', 'add', 'blue', "Invalid flag: 'blue'"],
    ['an unknown operation', 'toggle', 'read', "Invalid message flag operation: 'toggle'"],
  ])('rejects an invalid request: %s', async (_name, op, name, msg) => {
    expect(await flag(iago, op, name, [])).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it.each([
    'mentioned',
    'stream_wildcard_mentioned',
    'topic_wildcard_mentioned',
    'wildcard_mentioned',
    'has_alert_word',
    'historical',
  ])('rejects the flag %s, which only the server sets', async (name) => {
    for (const op of ['add', 'remove']) {
      expect(await flag(iago, op, name, [])).toMatchObject({
        code: 'BAD_REQUEST',
        msg: `Flag not editable: '${name}'`,
      });
    }
  });

  it('stores no flags of a message that is concurrently moved to a channel hidden from the user', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => send(hamlet, { to: 'Denmark' })));
    await Promise.all(
      ids.flatMap((id) => [
        hamlet.client.patch(`/api/v1/messages/${id}`, { form: { stream_id: idOf('core team') } }),
        flag(cordelia, 'add', 'starred', [id]),
      ]),
    );
    const { rows } = await chat.runtime.database.query(
      'SELECT 1 FROM user_messages WHERE user_id = $1 AND message_id = ANY($2)',
      [cordelia.id, ids],
    );
    expect(rows).toEqual([]);
  });
});

describe('POST /messages/flags/narrow', () => {
  const narrowTo = (topic: string) =>
    JSON.stringify([
      { operator: 'channel', operand: 'Verona' },
      { operator: 'topic', operand: topic },
    ]);

  it('returns the number and id range of the marked messages', async () => {
    const topic = 'narrowed';
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await send(hamlet, { topic }));
    await flag(iago, 'add', 'read', ids.slice(0, 1));
    const queue = await openTestEventQueue(chat, iago, ['update_message_flags']);
    const form = { op: 'add', flag: 'read', narrow: narrowTo(topic) };
    expect(await flagNarrow(iago, { ...form, anchor: 'oldest', num_before: 0, num_after: 3 })).toMatchObject({
      msg: '',
      processed_count: 3,
      updated_count: 2,
      first_processed_id: ids[0],
      last_processed_id: ids[2],
      found_oldest: true,
      found_newest: false,
    });
    expect(await queue.read()).toMatchObject([{ messages: ids.slice(1, 3) }]);
    expect(await flagNarrow(iago, { ...form, anchor: 'newest', num_before: 5000, num_after: 5000 })).toMatchObject({
      processed_count: 5,
      updated_count: 2,
      found_newest: true,
    });
    const back = { ...form, op: 'remove', anchor: String(ids[1]), num_before: 0, num_after: 1, include_anchor: false };
    expect(await flagNarrow(iago, back)).toMatchObject({
      processed_count: 1,
      updated_count: 1,
      first_processed_id: ids[2],
      ignored_because_not_subscribed_channels: [],
    });
  });

  it('marks the unread messages of a narrow with is:unread, and no message when repeated', async () => {
    const topic = 'still unread';
    const ids = [await send(hamlet, { topic }), await send(hamlet, { topic }), await send(hamlet, { topic })];
    await flag(iago, 'add', 'read', ids.slice(1, 2));
    const narrow = JSON.stringify([
      { operator: 'channel', operand: 'Verona' },
      { operator: 'topic', operand: topic },
      { operator: 'is', operand: 'unread' },
    ]);
    const form = { op: 'add', flag: 'read', anchor: 'oldest', num_before: 0, num_after: 100, narrow };
    expect(await flagNarrow(iago, form)).toMatchObject({
      processed_count: 2,
      updated_count: 2,
      first_processed_id: ids[0],
      last_processed_id: ids[2],
    });
    expect(await flagNarrow(iago, form)).toMatchObject({ processed_count: 0, updated_count: 0 });
  });

  it('processes at most the requested number of messages around an anchor', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await send(hamlet, { topic: 'anchors' }));
    const add = { op: 'add', flag: 'read', narrow: narrowTo('anchors') };
    const success = { result: 'success', msg: '' };
    // The anchor is included by default.
    expect(await flagNarrow(iago, { ...add, anchor: String(ids[2]), num_before: 1, num_after: 1 })).toEqual({
      ...success,
      processed_count: 3,
      updated_count: 3,
      first_processed_id: ids[1],
      last_processed_id: ids[3],
      found_oldest: false,
      found_newest: false,
    });
    expect(await flagNarrow(iago, { ...add, anchor: 'first_unread', num_before: 0, num_after: 0 })).toMatchObject({
      processed_count: 1,
      first_processed_id: ids[0],
    });
    const remove = { ...add, op: 'remove', anchor: 'newest', num_before: 2, num_after: 0 };
    const removed = { processed_count: 2, first_processed_id: ids[3], last_processed_id: ids[4], found_newest: true };
    expect(await flagNarrow(iago, { ...remove, flag: 'starred' })).toEqual({
      ...success,
      ...removed,
      updated_count: 0,
      found_oldest: false,
    });
    expect(await flagNarrow(iago, remove)).toEqual({
      ...success,
      ...removed,
      updated_count: 1,
      found_oldest: false,
      ignored_because_not_subscribed_channels: [],
    });
    const { narrow: _none, ...everywhere } = remove;
    expect(await flagNarrow(iago, everywhere)).toMatchObject({ processed_count: 2, last_processed_id: ids[4] });
  });

  it('skips messages of unsubscribed channels, and returns these channels as ignored', async () => {
    const id = await send(hamlet, { to: 'Denmark', topic: 'elsewhere' });
    const narrow = JSON.stringify([{ operator: 'channel', operand: 'Denmark' }]);
    const form = { op: 'remove', flag: 'read', narrow, anchor: 'newest', num_before: 1, num_after: 0 };
    expect(await flagNarrow(cordelia, form)).toMatchObject({
      processed_count: 1,
      updated_count: 0,
      last_processed_id: id,
      ignored_because_not_subscribed_channels: [idOf('Denmark')],
    });
  });

  it.each(['anchor', 'num_before', 'num_after', 'op', 'flag'])(
    'rejects a request without the parameter %s',
    async (name) => {
      const form = { op: 'add', flag: 'read', anchor: 'newest', num_before: 1, num_after: 0 };
      const { [name as 'op']: _left, ...rest } = form;
      const response = (await iago.client.post('/api/v1/messages/flags/narrow', { form: rest, unchecked: true })).body;
      expect(response).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: name });
    },
  );

  it('succeeds for a narrow without messages', async () => {
    const form = { op: 'add', flag: 'read', num_before: 1, num_after: 1 };
    expect(await flagNarrow(iago, { ...form, anchor: 'newest', narrow: narrowTo('nobody spoke of it') })).toMatchObject(
      {
        processed_count: 0,
        updated_count: 0,
        first_processed_id: null,
        last_processed_id: null,
      },
    );
  });

  it('rejects an invalid anchor or narrow', async () => {
    const form = { op: 'add', flag: 'read', num_before: 1, num_after: 1 };
    for (const anchor of ['x', 'date']) {
      expect(await flagNarrow(iago, { ...form, anchor })).toMatchObject({ msg: 'Invalid anchor' });
    }
    const bad = JSON.stringify([{ operator: 'nonsense', operand: '' }]);
    expect(await flagNarrow(iago, { ...form, anchor: '0', narrow: bad })).toMatchObject({ code: 'BAD_NARROW' });
  });

  it('marks 5000 messages with one SQL statement', async () => {
    const first = await send(hamlet, { topic: 'many' });
    const { database } = chat.runtime;
    await database.query(
      `WITH made AS (
         INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic)
         SELECT realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic
         FROM messages, generate_series(1, 5000) WHERE id = $1 RETURNING id)
       INSERT INTO user_messages (user_id, message_id) SELECT $2, id FROM made`,
      [first, iago.id],
    );
    const form = {
      op: 'add',
      flag: 'read',
      anchor: 'newest',
      num_before: 5000,
      num_after: 0,
      narrow: narrowTo('many'),
    };
    expect(await flagNarrow(iago, form)).toMatchObject({ processed_count: 4999, updated_count: 4999 });
    const { rows } = await database.query<{ transactions: number }>(
      `SELECT count(DISTINCT xmin::text) AS transactions FROM user_messages
       WHERE user_id = $1 AND message_id > $2 AND flags & 1 = 1`,
      [iago.id, first],
    );
    expect(rows[0]?.transactions).toBe(1);
  });
});

describe('POST /mark_all_as_read, /mark_stream_as_read and /mark_topic_as_read', () => {
  it('mark a topic in any letter case, then its channel, then all messages', async () => {
    const [a, b] = [await send(hamlet, { topic: 'Mark' }), await send(hamlet, { topic: 'other' })];
    const c = await send(hamlet, { type: 'direct', to: JSON.stringify([cordelia.id]) });
    const queue = await openTestEventQueue(chat, cordelia, ['update_message_flags']);
    expect(await mark(cordelia, 'topic', { stream_id: idOf('Verona'), topic_name: 'mark' })).toMatchObject({ msg: '' });
    expect(await queue.read()).toMatchObject([{ messages: [a] }]);
    expect(await mark(cordelia, 'stream', { stream_id: idOf('Verona') })).toMatchObject({ msg: '' });
    expect(await queue.read()).toMatchObject([{ messages: expect.arrayContaining([b]) }]);
    expect(await mark(cordelia, 'all')).toMatchObject({ msg: '', complete: true });
    expect(await queue.read()).toMatchObject([{ messages: expect.arrayContaining([c]) }]);
    expect(await mark(cordelia, 'all')).toMatchObject({ complete: true });
    expect(await queue.read()).toEqual([]);
  });

  it('reject a nonexistent topic and unreadable channels', async () => {
    const verona = { stream_id: idOf('Verona') };
    expect((await mark(iago, 'topic', { ...verona, topic_name: 'no such' })).msg).toBe("No such topic 'no such'");
    for (const id of [idOf('core team'), 999_999]) {
      expect((await mark(cordelia, 'stream', { stream_id: id })).msg).toBe('Invalid channel ID');
      expect((await mark(cordelia, 'topic', { stream_id: id, topic_name: 'x' })).msg).toBe('Invalid channel ID');
    }
  });
});
