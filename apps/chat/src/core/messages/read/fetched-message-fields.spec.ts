import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';

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

interface Message {
  id: number;
  recipient_id: number;
  stream_id: number;
  timestamp: number;
  display_recipient: { email: string }[];
  reactions: { emoji_name: string }[];
  edit_history?: unknown;
}

interface Page {
  messages: Message[];
  anchor: number;
}

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', {
    form: { type: 'channel', to: 'Verona', topic: 'forms', content: 'x', ...form },
  });
  return body.id;
}

async function fetchPage(user: DemoUser, query: Record<string, string | number | boolean>): Promise<Page> {
  return (await user.client.get<Page>('/api/v1/messages', { query })).body;
}

async function fetchOne(user: DemoUser, id: number, query: Record<string, boolean> = {}): Promise<Message> {
  const [message] = (await fetchPage(user, { message_ids: JSON.stringify([id]), ...query })).messages;
  if (message === undefined) throw new Error('There is no such message');
  return message;
}

const narrowOf = (topic: string): string =>
  JSON.stringify([
    { operator: 'channel', operand: 'Verona' },
    { operator: 'topic', operand: topic },
  ]);

describe('GET /messages/{message_id}', () => {
  it('returns every field of a channel message', async () => {
    const id = await send(iago, { content: '/me **waves**', client: 'my-script' });
    const message = await fetchOne(iago, id);
    expect(message).toEqual({
      id,
      avatar_url: null,
      client: 'my-script',
      content: '<p>/me <strong>waves</strong></p>',
      content_type: 'text/html',
      display_recipient: 'Verona',
      flags: [],
      is_me_message: true,
      reactions: [],
      recipient_id: message.recipient_id,
      sender_email: 'iago@example.com',
      sender_full_name: 'Iago',
      sender_id: iago.id,
      sender_realm_str: 'zulip',
      stream_id: message.stream_id,
      subject: 'forms',
      submessages: [],
      timestamp: message.timestamp,
      topic_links: [],
      type: 'stream',
    });
    expect(Math.abs(message.timestamp - Date.now() / 1000)).toBeLessThan(30);
    expect(await fetchOne(iago, id, { apply_markdown: false })).toMatchObject({
      content: '/me **waves**',
      content_type: 'text/x-markdown',
    });
  });

  it('lists all participants of a direct message with the addresses that the reader can see', async () => {
    const id = await send(iago, { type: 'direct', to: JSON.stringify([hamlet.id]) });
    const { display_recipient: people } = await fetchOne(hamlet, id);
    expect(people).toEqual([
      { id: hamlet.id, email: 'hamlet@example.com', full_name: 'King Hamlet', is_mirror_dummy: false },
      { id: iago.id, email: `user${iago.id}@zulipdev.com`, full_name: 'Iago', is_mirror_dummy: false },
    ]);
  });

  it('returns reactions, oldest first', async () => {
    const id = await send(iago, {});
    for (const [user, name, code] of [
      [hamlet, 'tada', '1f389'],
      [iago, 'heart', '2764'],
    ] as const) {
      await chat.runtime.database.query(
        `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
         VALUES ($1, $2, $3, $4, 'unicode_emoji')`,
        [id, user.id, name, code],
      );
    }
    expect((await fetchOne(iago, id)).reactions).toEqual([
      { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji', user_id: hamlet.id },
      { emoji_name: 'heart', emoji_code: '2764', reaction_type: 'unicode_emoji', user_id: iago.id },
    ]);
  });

  it('returns the times of the last edit and move in UNIX seconds', async () => {
    const id = await send(iago, {});
    const before = await fetchOne(iago, id);
    for (const key of ['last_edit_timestamp', 'last_moved_timestamp', 'edit_history'])
      expect(before).not.toHaveProperty(key);
    await chat.runtime.database.query(
      `UPDATE messages SET last_edit_at = '2026-01-01T00:00:01.9Z', last_moved_at = '2026-01-01T00:01:00Z' WHERE id = $1`,
      [id],
    );
    expect(await fetchOne(iago, id)).toMatchObject({
      last_edit_timestamp: 1_767_225_601,
      last_moved_timestamp: 1_767_225_660,
    });
  });
});

describe('GET /messages/{message_id}: edit history', () => {
  const edit = { user_id: 1, timestamp: 1_767_225_602, prev_content: 'y', prev_rendered_content: '<p>y</p>' };
  const move = { user_id: null, timestamp: 1_767_225_601, prev_topic: 'forms', topic: 'shapes' };
  const both = { ...edit, ...move, timestamp: 1_767_225_600 };
  const bothMoved = { user_id: null, timestamp: 1_767_225_600, prev_topic: 'forms', topic: 'shapes' };

  async function historyUnder(policy: string, history: object[]): Promise<unknown> {
    const id = await send(iago, {});
    const { database } = chat.runtime;
    await database.query('UPDATE messages SET edit_history = $2 WHERE id = $1', [id, JSON.stringify(history)]);
    const patch = policy === '' ? {} : { message_edit_history_visibility_policy: policy };
    await database.query(
      `UPDATE realms SET settings = settings - 'message_edit_history_visibility_policy' || $1::jsonb`,
      [JSON.stringify(patch)],
    );
    const message = await fetchOne(iago, id);
    return 'edit_history' in message ? message.edit_history : 'absent';
  }

  it.each([
    ['shows everything, newest first, where the realm says nothing', '', [edit, move, both], [edit, move, both]],
    ['shows everything under the policy all', 'all', [edit, move, both], [edit, move, both]],
    ['shows changes of topic and channel alone under the policy moves', 'moves', [edit, move, both], [move, bothMoved]],
    ['is absent under the policy moves from what was never moved', 'moves', [edit], 'absent'],
    ['is absent under the policy none', 'none', [edit, move, both], 'absent'],
  ])(
    'returns the edit history according to the policy of the realm: the history %s',
    async (_name, policy, history, shown) => {
      expect(await historyUnder(policy, history)).toEqual(shown);
    },
  );
});

describe('GET /messages', () => {
  it('returns those messages of message_ids that match the narrow, ordered by id, without an anchor', async () => {
    const [other, first, second] = [
      await send(iago, { topic: 'elsewhere' }),
      await send(iago, { topic: 'here' }),
      await send(iago, { topic: 'here' }),
    ];
    const page = await fetchPage(iago, {
      message_ids: JSON.stringify([second, other, first]),
      narrow: narrowOf('here'),
    });
    expect(page).toMatchObject({ result: 'success', msg: '', history_limited: false });
    expect(page).not.toHaveProperty('anchor');
    expect(page.messages.map((message) => message.id)).toEqual([first, second]);
  });

  it('accepts the display name of the empty topic in a narrow', async () => {
    const id = await send(iago, { topic: '' });
    for (const name of ['general chat', '(no topic)']) {
      const query = { anchor: 'newest', num_before: 1, num_after: 0, narrow: narrowOf(name) };
      expect((await fetchPage(iago, query)).messages).toMatchObject([{ id, subject: 'general chat' }]);
    }
  });

  it.each([
    ['a date alone', '2020-01-02', 1],
    ['a time without a zone', '2020-01-02T00:00:01', 2],
    ['a time in UTC', '2020-01-02T12:00:00Z', 2],
    ['a time of another zone', '2020-01-02T01:59:59+02:00', 0],
    ['a date in the basic form', '20200102', 1],
    ['a time in the basic form', '20200102T000001', 2],
    ['a time in the basic form with a zone', '20200101T195959.5-0400', 1],
    ['an hour alone', '2020-01-02T02+02', 1],
    ['a time after a space, with a fraction', '2020-01-02 00:00:00,001z', 2],
  ])('accepts %s as a date anchor, and reads a date without a time zone as UTC', async (name, date, expected) => {
    const ids: number[] = [];
    for (const sentAt of ['2020-01-01T23:59:59Z', '2020-01-02T00:00:00Z', '2020-01-02T12:00:00Z']) {
      const id = await send(iago, { topic: name });
      await chat.runtime.database.query('UPDATE messages SET date_sent = $2 WHERE id = $1', [id, sentAt]);
      ids.push(id);
    }
    const query = { anchor: 'date', anchor_date: date, num_before: 0, num_after: 0, narrow: narrowOf(name) };
    expect((await fetchPage(iago, query)).anchor).toBe(ids[expected]);
  });
});

describe('GET /messages with large texts', () => {
  const narrow = narrowOf('large texts');
  let ids: number[];

  beforeAll(async () => {
    ids = [];
    for (let number = 0; number < 102; number += 1) {
      ids.push(await send(hamlet, { topic: 'large texts', content: `number ${number}` }));
    }
    await chat.runtime.database.query(
      `UPDATE message_texts SET rendered_content = rendered_content || repeat('&lt;', 12000) WHERE message_id = ANY($1)`,
      [ids],
    );
  });

  it.each([
    ['a range', () => ({ narrow, anchor: 'newest', num_before: 102, num_after: 0 })],
    ['ids', () => ({ message_ids: JSON.stringify(ids) })],
    ['ids of a narrow', () => ({ message_ids: JSON.stringify(ids), narrow })],
  ])(
    'returns the same messages for %s as for small pages',
    async (_name, query: () => Record<string, string | number>) => {
      const whole = await fetchPage(iago, query());
      const part = async (some: number[]): Promise<Message[]> => {
        const { num_before: _before, num_after: _after, anchor: _anchor, ...rest } = query();
        return (await fetchPage(iago, { ...rest, message_ids: JSON.stringify(some) })).messages;
      };
      expect(whole.messages.map(({ id }) => id)).toEqual(ids);
      expect(whole.messages).toEqual([...(await part(ids.slice(0, 51))), ...(await part(ids.slice(51)))]);
    },
  );

  it('responds 400 above MESSAGES_MAX_BYTES, and succeeds with fewer messages', async () => {
    const limited = await cluster.start({ MESSAGES_MAX_BYTES: '100000' });
    const reader = await signIn(limited, 'iago');
    const query = { narrow, anchor: 'newest', num_before: 102, num_after: 0 };
    const { status, body } = await reader.client.get('/api/v1/messages', { query });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        msg: 'The messages are too large for one response (limit: 100000 bytes); request fewer messages.',
      },
    });
    expect((await fetchPage(reader, { ...query, num_before: 10 })).messages).toHaveLength(10);

    const id = await send(iago, { topic: 'many reactions' });
    await chat.runtime.database.query(
      `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
       SELECT $1, $2, 'tada', 'code-' || number, 'unicode_emoji' FROM generate_series(1, 10001) number`,
      [id, iago.id],
    );
    const one = { message_ids: JSON.stringify([id]) };
    expect((await reader.client.get('/api/v1/messages', { query: one })).status).toBe(400);
    expect((await fetchPage(iago, one)).messages[0]?.reactions).toHaveLength(10_001);
  });
});
