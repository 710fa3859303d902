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
let polonius: DemoUser;
let zoe: DemoUser;
/** Ids of the seven test messages, which have the same topic, in ascending order. */
let ids: number[];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, polonius, zoe] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
    signIn(chat, 'ZOE'),
  ]);
  ids = [];
  for (let count = 0; count < 7; count += 1) {
    ids.push(await send(zoe, { type: 'channel', to: 'Scotland', topic: 'Anchors', content: `number ${count}` }));
  }
});
afterAll(() => cluster.stop());

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', { form });
  return body.id;
}

interface Page {
  msg: string;
  anchor?: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
  messages: {
    id: number;
    flags: string[];
    subject: string;
    sender_email: string;
    content: string;
    avatar_url: string | null;
  }[];
}

type Query = Record<string, string | number>;

async function list(user: DemoUser, query: Query) {
  const { status, body } = await user.client.get<Page>('/api/v1/messages', { query });
  return { status, body };
}

async function idsOf(user: DemoUser, narrow: unknown, query: Query = {}): Promise<number[]> {
  const { status, body } = await list(user, {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
    narrow: JSON.stringify(narrow),
    ...query,
  });
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  return body.messages.map((message) => message.id);
}

const topicNarrow = [
  { operator: 'channel', operand: 'Scotland' },
  { operator: 'topic', operand: 'anchors' },
];
const newest = 10_000_000_000_000_000;

describe('GET /messages: anchors (docs/contract/chat.md 5.5)', () => {
  const at = (index: number): number => ids[index]!;

  it.each<[string, () => Query, () => object]>([
    [
      'newest',
      () => ({ anchor: 'newest', num_before: 3, num_after: 3 }),
      () => ({ ids: ids.slice(4), anchor: newest, found: [false, false, true] }),
    ],
    [
      'newest with more before than there are',
      () => ({ anchor: 'newest', num_before: 50, num_after: 0 }),
      () => ({ ids, anchor: newest, found: [false, true, true] }),
    ],
    [
      'oldest',
      () => ({ anchor: 'oldest', num_before: 3, num_after: 3 }),
      () => ({ ids: ids.slice(0, 3), anchor: 0, found: [false, true, false] }),
    ],
    [
      'an id, both sides',
      () => ({ anchor: at(3), num_before: 2, num_after: 2 }),
      () => ({ ids: ids.slice(1, 6), anchor: at(3), found: [true, false, false] }),
    ],
    [
      'an id near the ends',
      () => ({ anchor: at(1), num_before: 2, num_after: 6 }),
      () => ({ ids, anchor: at(1), found: [true, true, true] }),
    ],
    [
      'an id with exactly as many as asked for',
      () => ({ anchor: at(3), num_before: 3, num_after: 3 }),
      () => ({ ids, anchor: at(3), found: [true, false, false] }),
    ],
    [
      'an id alone',
      () => ({ anchor: at(3), num_before: 0, num_after: 0 }),
      () => ({ ids: [at(3)], anchor: at(3), found: [true, false, false] }),
    ],
    [
      'an id that is no message of the narrow',
      () => ({ anchor: 1, num_before: 1, num_after: 1 }),
      () => ({ ids: [at(0)], anchor: 1, found: [false, true, false] }),
    ],
    [
      'an id left out',
      () => ({ anchor: at(3), num_before: 2, num_after: 0, include_anchor: 'false' }),
      () => ({ ids: ids.slice(1, 3), anchor: at(3), found: [false, false, false] }),
    ],
    [
      'an id below zero',
      () => ({ anchor: -5, num_before: 0, num_after: 1 }),
      () => ({ ids: [at(0)], anchor: 0, found: [false, true, false] }),
    ],
    [
      'an id past all ids',
      () => ({ anchor: '99999999999999999999', num_before: 1, num_after: 0 }),
      () => ({ ids: [at(6)], anchor: newest, found: [false, false, true] }),
    ],
    [
      'a date before all of them',
      () => ({ anchor: 'date', anchor_date: '2000-02-29', num_before: 0, num_after: 1 }),
      () => ({ ids: ids.slice(0, 2), anchor: at(0), found: [true, false, false] }),
    ],
    [
      'an ordinal date before all of them',
      () => ({ anchor: 'date', anchor_date: '2000-060', num_before: 0, num_after: 1 }),
      () => ({ ids: ids.slice(0, 2), anchor: at(0), found: [true, false, false] }),
    ],
    [
      'a week date with a time after all of them',
      () => ({ anchor: 'date', anchor_date: '2999-W01-2T10:00Z', num_before: 1, num_after: 0 }),
      () => ({ ids: [at(6)], anchor: newest, found: [false, false, true] }),
    ],
    [
      'a date after all of them',
      () => ({ anchor: 'date', anchor_date: '2999-01-01T00:00:00+02:00', num_before: 1, num_after: 0 }),
      () => ({ ids: [at(6)], anchor: newest, found: [false, false, true] }),
    ],
    [
      'the older flag, which wins over an anchor',
      () => ({ anchor: at(6), use_first_unread_anchor: 'true', num_before: 0, num_after: 0 }),
      () => ({ ids: [at(0)], anchor: at(0), found: [true, false, false] }),
    ],
  ])('returns the correct page of messages for %s', async (_name, query, expected) => {
    const { body } = await list(iago, { narrow: JSON.stringify(topicNarrow), ...query() });
    expect({
      ids: body.messages.map((message) => message.id),
      anchor: body.anchor,
      found: [body.found_anchor, body.found_oldest, body.found_newest],
    }).toEqual(expected());
  });

  it('selects the oldest unread message outside muted topics as first_unread, or the newest if all are read', async () => {
    const query = { anchor: 'first_unread', num_before: 0, num_after: 0, narrow: JSON.stringify(topicNarrow) };
    const { database } = chat.runtime;
    const read = (upTo: number) =>
      database.query('UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1 AND message_id <= $2', [
        iago.id,
        upTo,
      ]);
    await read(ids[2]!);
    expect((await list(iago, query)).body.anchor).toBe(ids[3]);
    const channel = `(SELECT id FROM channels WHERE name = 'Scotland')`;
    await database.query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy)
       VALUES ($1, ${channel}, 'anchors', 'Anchors', 1)`,
      [iago.id],
    );
    expect((await list(iago, query)).body.anchor).toBe(newest);
    await database.query('DELETE FROM user_topics');
    await read(ids[6]!);
    expect((await list(iago, query)).body).toMatchObject({ anchor: newest, found_newest: true, messages: [] });
  });

  it('returns a page of 5000 messages with history_limited false', async () => {
    const { status, body } = await list(iago, { anchor: 'oldest', num_before: 2500, num_after: 2500 });
    expect({ status, body }).toMatchObject({ status: 200, body: { history_limited: false, found_oldest: true } });
    expect(body.messages.map(({ id }) => id)).toEqual(body.messages.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  it.each<[string, Query, object]>([
    ['no anchor', { num_before: 1, num_after: 1 }, { msg: "Missing 'anchor' argument." }],
    ['another word', { anchor: 'latest', num_before: 1, num_after: 1 }, { msg: 'Invalid anchor' }],
    ['no num_before', { anchor: 'newest', num_after: 1 }, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'num_before' }],
    ['no num_after', { anchor: 'newest', num_before: 1 }, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'num_after' }],
    [
      'a negative number',
      { anchor: 'newest', num_before: -1, num_after: 1 },
      { code: 'REQUEST_VARIABLE_INVALID', var_name: 'num_before', bad_value: '-1' },
    ],
    [
      'more than 5000',
      { anchor: 'newest', num_before: 5000, num_after: 1 },
      { msg: 'Too many messages requested (maximum 5000).' },
    ],
    [
      'an excluded anchor in the middle',
      { anchor: '5', num_before: 1, num_after: 1, include_anchor: 'false' },
      { msg: 'The anchor can only be excluded at an end of the range' },
    ],
    [
      'a bad date',
      { anchor: 'date', anchor_date: 'soon', num_before: 1, num_after: 1 },
      { msg: 'Invalid anchor_date' },
    ],
    ...`2026-02-31 2025-02-29T12:00:00Z 2026-13-01 2026-01-00 20260231 2026-1-1 2026-0101 2026-01-01T
        2026-01-01T25:00 2026-01-01T10:00+2 2026-01-01Z`
      .split(/\s+/)
      .concat('2026-04-31 10:00:00+02:00', '')
      .map((date): [string, Query, object] => [
        `the impossible date ${date}`,
        { anchor: 'date', anchor_date: date, num_before: 1, num_after: 1 },
        { code: 'BAD_REQUEST', msg: 'Invalid anchor_date' },
      ]),
    [
      'ids together with a range',
      { message_ids: '[1]', num_before: 1, anchor: 'newest' },
      { msg: 'Unsupported parameter combination: anchor, num_before, message_ids' },
    ],
    ['a date that is not said', { anchor: 'date', num_before: 1, num_after: 1 }, { var_name: 'anchor_date' }],
    [
      'more than 5000 ids',
      { message_ids: JSON.stringify(Array.from({ length: 5001 }, (_, id) => id)) },
      { msg: 'Too many messages requested (maximum 5000).' },
    ],
  ])('rejects an invalid selection: %s', async (_name, query, expected) => {
    const { status, body } = await list(iago, query);
    expect({ status, body }).toMatchObject({ status: 400, body: expected });
  });

  it.each(
    Object.entries({
      anchor: '1',
      include_anchor: 'true',
      use_first_unread_anchor: 'false',
      num_before: '0',
      num_after: '0',
    }),
  )('rejects message_ids together with %s', async (name, value) => {
    expect((await list(iago, { message_ids: '[1]', [name]: value })).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: `Unsupported parameter combination: ${name}, message_ids`,
    });
  });
});

describe('GET /messages: narrows (docs/contract/chat.md 5.4)', () => {
  const pair = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated });

  it.each<[string, () => unknown]>([
    ['a channel by name', () => [pair('channel', 'scotland'), pair('topic', 'ANCHORS')]],
    ['the older names', () => [pair('stream', 'Scotland'), pair('subject', 'Anchors')]],
    [
      'pairs',
      () => [
        ['stream', 'Scotland'],
        ['topic', 'Anchors'],
      ],
    ],
    ['the sender by id', () => [pair('sender', zoe.id), pair('topic', 'Anchors')]],
    [
      'the sender by an address that the reader sees',
      () => [pair('from', 'zoe@example.com'), pair('topic', 'Anchors')],
    ],
    [
      'what is not of another topic',
      () => [pair('channel', 'Scotland'), pair('topic', 'Anchors'), pair('topic', 'x', true)],
    ],
    ['a minus as not', () => [pair('channel', 'Scotland'), pair('topic', 'Anchors'), pair('-sender', iago.id)]],
    ['an id that is only a hint', () => [...topicNarrow, pair('near', ids[3])]],
    ['all public channels', () => [pair('channels', 'public'), pair('topic', 'Anchors')]],
    ['what is not muted', () => [...topicNarrow, pair('in', 'home')]],
  ])('supports narrows: %s', async (_name, narrow) => {
    expect(await idsOf(iago, narrow())).toEqual(ids);
  });

  it('supports the operator id', async () => {
    expect(await idsOf(iago, [pair('id', ids[2])])).toEqual([ids[2]]);
    expect(await idsOf(iago, [pair('id', String(ids[2]))])).toEqual([ids[2]]);
  });

  it('supports the operator channel with a channel id', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM channels WHERE name = 'Scotland'",
    );
    expect(await idsOf(iago, [pair('channel', rows[0]!.id), pair('topic', 'Anchors')])).toEqual(ids);
    expect(await idsOf(iago, [pair('channel', String(rows[0]!.id)), pair('topic', 'Anchors')])).toEqual(ids);
  });

  it('supports the operator dm for an exact set of participants, and dm-including', async () => {
    const two = await send(iago, { type: 'direct', to: `[${hamlet.id}]`, content: 'two' });
    const three = await send(zoe, { type: 'direct', to: `[${hamlet.id},${iago.id}]`, content: 'three' });
    const own = await send(iago, { type: 'direct', to: `[${iago.id}]`, content: 'own' });
    expect((await idsOf(iago, [pair('dm', [hamlet.id])])).at(-1)).toBe(two);
    expect((await idsOf(iago, [pair('pm-with', 'hamlet@example.com')])).at(-1)).toBe(two);
    expect(await idsOf(iago, [pair('dm', [hamlet.id, zoe.id])])).toEqual([three]);
    expect(await idsOf(hamlet, [pair('dm', `${iago.id},${zoe.id}`)])).toEqual([three]);
    expect(await idsOf(iago, [pair('dm', [iago.id])])).toEqual([own]);
    expect((await idsOf(iago, [pair('dm_including', hamlet.id)])).slice(-2)).toEqual([two, three]);
    expect((await idsOf(iago, [pair('group-pm-with', zoe.id)])).at(-1)).toBe(three);
    expect((await idsOf(iago, [pair('is', 'dm')])).slice(-3)).toEqual([two, three, own]);
    expect(await idsOf(iago, [pair('dm', [polonius.id])])).toEqual([]);
  });

  it('supports message flags as operands of `is`', async () => {
    const mentioned = await send(zoe, { type: 'channel', to: 'Verona', topic: 'f', content: '@**Iago** hi' });
    expect((await idsOf(iago, [pair('is', 'mentioned')])).at(-1)).toBe(mentioned);
    expect((await idsOf(iago, [pair('is', 'unread')])).at(-1)).toBe(mentioned);
    expect(await idsOf(iago, [pair('is', 'mentioned'), pair('is', 'unread', true)])).not.toContain(mentioned);
    const linked = await send(zoe, { type: 'channel', to: 'Verona', topic: 'f', content: 'https://z.org/a.png' });
    expect((await idsOf(iago, [pair('has', 'link')])).at(-1)).toBe(linked);
    expect((await idsOf(iago, [pair('has', 'image')])).at(-1)).toBe(linked);
    expect(await idsOf(iago, [pair('has', 'reaction')])).not.toHaveLength(0);
    expect(await idsOf(iago, [pair('is', 'starred')])).not.toHaveLength(0);
    for (const operand of ['alerted', 'muted']) expect(await idsOf(iago, [pair('is', operand)])).toEqual([]);
    expect(await idsOf(iago, [pair('is', 'followed')])).toContain(mentioned);
    expect(await idsOf(iago, [pair('is', 'resolved')])).not.toHaveLength(0);
  });

  it('returns public channel history with the flags read and historical to a user who never subscribed', async () => {
    const { body } = await list(hamlet, {
      anchor: 'newest',
      num_before: 100,
      num_after: 0,
      narrow: JSON.stringify(topicNarrow),
    });
    expect(body.messages.map((message) => message.id)).toEqual(ids);
    expect(body.messages[0]?.flags).toEqual(['read', 'historical']);
    expect(await idsOf(hamlet, [pair('topic', 'Anchors')])).toEqual([]);
    expect(await idsOf(hamlet, [...topicNarrow, pair('is', 'unread')])).toEqual([]);
  });

  it('treats a hidden private channel like a nonexistent one', async () => {
    const response = async (operand: string) => {
      const { status, text } = await zoe.client.get('/api/v1/messages', {
        query: { anchor: 'newest', num_before: 1, num_after: 0, narrow: JSON.stringify([pair('channel', operand)]) },
      });
      return { status, text: text.replaceAll(operand, 'NAME') };
    };
    expect(await response('core team')).toEqual(await response('nowhere'));
    expect((await response('core team')).status).toBe(400);
  });

  it('returns no messages to a guest from channels that the guest is not subscribed to', async () => {
    const { body } = await list(polonius, {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: JSON.stringify(topicNarrow),
    });
    expect(body).toMatchObject({ code: 'BAD_NARROW', desc: 'unknown channel Scotland' });
    expect(await idsOf(polonius, [pair('channels', 'public'), pair('topic', 'Anchors')])).toEqual([]);
  });

  it('hides private history from a user who unsubscribed', async () => {
    const secret = await send(hamlet, { type: 'channel', to: 'core team', topic: 's', content: 'secret' });
    expect(await idsOf(iago, [pair('topic', 's')])).toEqual([secret]);
    const leave = `UPDATE subscriptions SET is_active = $1 WHERE user_id = ${iago.id}
      AND channel_id = (SELECT id FROM channels WHERE name = 'core team')`;
    await chat.runtime.database.query(leave, [false]);
    expect(await idsOf(iago, [pair('topic', 's')])).toEqual([]);
    expect((await list(iago, { message_ids: JSON.stringify([secret]) })).body.messages).toEqual([]);
    await chat.runtime.database.query(leave, [true]);
  });

  it.each<[string, unknown, string]>([
    ['an unknown operator', [pair('colour', 'red')], 'unknown operator colour'],
    ['an unknown channel', [pair('channel', 'Atlantis')], 'unknown channel Atlantis'],
    ['an unknown sender', [pair('sender', 'x@example.com')], 'unknown user x@example.com'],
    ['an unknown operand of is', [pair('is', 'green')], "unknown 'is:' term: green"],
    ['an unknown operand of has', [pair('has', 'sound')], "unknown 'has:' term: sound"],
    ['an unknown operand of in', [pair('in', 'bed')], "unknown 'in:' term: bed"],
    ['an invalid id', [pair('id', 'x')], 'Invalid message ID'],
    [
      'two channels',
      [pair('channel', 'Verona'), pair('channel', 'Scotland')],
      'No message can be both a channel message and direct message',
    ],
    ['a list in place of a name', [pair('topic', ['x'])], 'invalid operand for topic'],
  ])('rejects an invalid narrow: %s', async (_name, narrow, desc) => {
    const { status, body } = await list(iago, {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: JSON.stringify(narrow),
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: { result: 'error', code: 'BAD_NARROW', msg: `Invalid narrow operator: ${desc}`, desc },
    });
  });

  it.each([
    ['an object in place of a list', '{}', 'narrow is not a list'],
    ['a term without operand', '[{"operator":"is"}]', 'operand key is missing from narrow[0]'],
  ])('rejects unknown operands: %s', async (_name, narrow, msg) => {
    const { body } = await list(iago, { anchor: 'newest', num_before: 1, num_after: 0, narrow });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg });
  });
});

describe('GET /messages: format', () => {
  it('returns content as HTML or Markdown, and the empty topic as its display name or as an empty string', async () => {
    const id = await send(zoe, { type: 'channel', to: 'Verona', topic: '', content: '**b**' });
    const one = async (query: Query) =>
      (await list(iago, { message_ids: JSON.stringify([id]), ...query })).body.messages[0];
    expect(await one({})).toMatchObject({ content: '<p><strong>b</strong></p>', subject: 'general chat' });
    expect(await one({ apply_markdown: 'false', allow_empty_topic_name: 'true' })).toMatchObject({
      content: '**b**',
      subject: '',
    });
  });

  it('hides email addresses from readers who may not see them', async () => {
    const [id] = ids;
    const one = async (user: DemoUser, query: Query) =>
      (await list(user, { message_ids: JSON.stringify([id]), ...query })).body.messages[0];
    expect(await one(iago, {})).toMatchObject({ sender_email: 'ZOE@example.com', avatar_url: null });
    expect((await one(iago, { client_gravatar: 'false' }))?.avatar_url).toContain('gravatar');
    const hidden = await one(hamlet, {});
    expect(hidden).toMatchObject({ sender_email: `user${zoe.id}@zulipdev.com` });
    expect(hidden?.avatar_url).toContain('gravatar');
  });

  it('omits ids that do not exist or that the reader cannot see', async () => {
    const direct = await send(iago, { type: 'direct', to: `[${zoe.id}]`, content: 'x' });
    const { body } = await list(hamlet, { message_ids: JSON.stringify([direct, ids[1], 999_999_999, ids[0]]) });
    expect(body.messages.map((message) => message.id)).toEqual([ids[0], ids[1]]);
    expect(body).not.toHaveProperty('anchor');
  });

  it('responds 401 without credentials', async () => {
    expect((await chat.client.get('/api/v1/messages')).status).toBe(401);
  });
});
