import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let zoe: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, zoe] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet'), signIn(chat, 'ZOE')]);
});
afterAll(() => cluster.stop());

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  return (await user.client.post<{ id: number }>('/api/v1/messages', { form })).body.id;
}

const toChannel = (user: DemoUser, to: string, topic: string, content = 'x') =>
  send(user, { type: 'channel', to, topic, content });
const toPerson = (user: DemoUser, to: DemoUser, content = 'x') =>
  send(user, { type: 'direct', to: `[${to.id}]`, content });

interface Page {
  msg: string;
  code?: string;
  desc?: string;
  messages: { id: number; flags: string[]; sender_email: string; avatar_url: string | null }[];
}

async function list(client: DemoUser['client'], narrow: unknown, query: Record<string, string> = {}) {
  const { status, body } = await client.get<Page>('/api/v1/messages', {
    query: { anchor: 'newest', num_before: 1000, num_after: 0, narrow: JSON.stringify(narrow), ...query },
  });
  return { status, body };
}

async function idsOf(user: DemoUser, narrow: unknown): Promise<number[]> {
  const { status, body } = await list(user.client, narrow);
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  return body.messages.map(({ id }) => id);
}

const term = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated });

describe('GET /messages: operator with (docs/contract/chat.md 5.4)', () => {
  it('returns the conversation that contains the message now, regardless of other terms', async () => {
    const ids = [await toChannel(iago, 'Verona', 'before'), await toChannel(iago, 'Verona', 'before')];
    const narrow = [term('channel', 'Verona'), term('topic', 'before'), term('with', ids[0])];
    expect(await idsOf(iago, narrow)).toEqual(ids);
    const form = { topic: 'after', propagate_mode: 'change_all', send_notification_to_new_thread: 'false' };
    await iago.client.patch(`/api/v1/messages/${ids[0]}`, { form });
    expect(await idsOf(iago, narrow)).toEqual(ids);
    expect(await idsOf(iago, [term('channel', 'no such channel'), term('with', String(ids[1]))])).toEqual(ids);
    expect(await idsOf(iago, [term('dm', [hamlet.id]), term('with', ids[1])])).toEqual(ids);
    expect(await idsOf(iago, [term('with', ids[1]), term('id', ids[0])])).toEqual([ids[0]]);
  });

  it('returns all messages of the direct message conversation that contains the given message', async () => {
    const first = await toPerson(zoe, hamlet, 'first of them');
    const second = await toPerson(hamlet, zoe, 'second of them');
    expect(await idsOf(hamlet, [term('with', first)])).toEqual([first, second]);
  });

  it('ignores `with` when the message is not visible and other terms name the conversation', async () => {
    const id = await toChannel(iago, 'Verona', 'elsewhere');
    const secret = await toPerson(iago, zoe);
    for (const hidden of [secret, 999_999_999]) {
      const where = [term('channel', 'Verona'), term('topic', 'elsewhere')];
      expect(await idsOf(hamlet, [...where, term('with', hidden)])).toEqual([id]);
      expect(await idsOf(hamlet, [term('with', hidden)])).toEqual([]);
      expect(await idsOf(hamlet, [term('channel', 'Verona'), term('with', hidden)])).toEqual([]);
      expect(await idsOf(hamlet, [term('dm', [hamlet.id]), term('with', hidden)])).not.toContain(secret);
    }
  });

  it.each([
    [[term('with', 'Verona')], 'Invalid message ID'],
    [[term('with', 1), term('with', 2)], "Duplicate 'with' operators."],
    [[term('with', 1, true)], "'with' cannot be negated"],
  ])('rejects the narrow %j', async (narrow, desc) => {
    expect(await list(iago.client, narrow)).toMatchObject({ status: 400, body: { code: 'BAD_NARROW', desc } });
  });
});

describe('GET /messages: operator mentions (docs/contract/chat.md 5.4)', () => {
  it('returns messages that mention the user, to every reader of these messages', async () => {
    const id = await toChannel(zoe, 'Verona', 'calls', '@**King Hamlet** come');
    const silent = await toChannel(zoe, 'Verona', 'calls', '@_**King Hamlet** was here');
    const where = [term('channel', 'Verona'), term('topic', 'calls')];
    for (const operand of [hamlet.id, 'hamlet@example.com', String(hamlet.id)]) {
      expect(await idsOf(iago, [...where, term('mentions', operand)])).toEqual([id]);
    }
    expect(await idsOf(hamlet, [...where, term('mentions', 'me')])).toEqual([id]);
    expect(await idsOf(iago, [...where, term('mentions', hamlet.id, true)])).toEqual([silent]);
    const secret = await toChannel(hamlet, 'core team', 'calls', '@**Iago** come');
    expect(await idsOf(iago, [term('mentions', 'me')])).toContain(secret);
    expect(await idsOf(zoe, [term('channels', 'public'), term('mentions', iago.id)])).not.toContain(secret);
  });

  it.each([
    ['nobody@example.com', 'unknown user nobody@example.com'],
    [[], 'invalid operand for mentions'],
  ])('rejects the narrow %j', async (operand, desc) => {
    const response = await list(iago.client, [term('mentions', operand)]);
    expect(response).toMatchObject({ status: 400, body: { code: 'BAD_NARROW', desc } });
  });
});

describe('GET /messages: negated terms', () => {
  it.each<[string, () => unknown]>([
    ['channel', () => 'Verona'],
    ['channels', () => 'public'],
    ['channels', () => 'web-public'],
    ['channels', () => 'archived'],
    ['topic', () => 'calls'],
    ['dm', () => [hamlet.id]],
    ['dm-with', () => hamlet.id],
    ['dm_including', () => hamlet.id],
    ['group-pm-with', () => hamlet.id],
    ['pm-with', () => 'hamlet@example.com'],
    ['sender', () => 'me'],
    ['from', () => zoe.id],
    ['mentions', () => hamlet.id],
    ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].map(
      (operand): [string, () => unknown] => ['is', () => operand],
    ),
    ...['link', 'attachment', 'image', 'reaction'].map((operand): [string, () => unknown] => ['has', () => operand]),
    ['in', () => 'home'],
    ['search', () => 'come'],
    ['search', () => '"x"'],
  ])('returns exactly the messages that do not match when the term %s is negated', async (operator, operand) => {
    const personal = [term('in', 'all')];
    const all = await idsOf(iago, personal);
    const own = new Set(all);
    const matching = (await idsOf(iago, [term(operator, operand())])).filter((id) => own.has(id));
    const rest = await idsOf(iago, [...personal, term(operator, operand(), true)]);
    expect([...matching, ...rest].toSorted((a, b) => a - b)).toEqual(all);
    expect(await idsOf(iago, [...personal, term(`-${operator}`, operand())])).toEqual(rest);
  });
});

describe('GET /messages without an account (docs/contract/chat.md 5.4)', () => {
  const open = (isOpen: boolean) =>
    chat.runtime.database.query(
      `UPDATE realms SET settings = settings || jsonb_build_object('enable_spectator_access', $1::boolean)`,
      [isOpen],
    );
  let webPublic: number;
  let hidden: number;

  beforeAll(async () => {
    await chat.runtime.database.query("UPDATE channels SET is_web_public = true WHERE name = 'Scotland'");
    webPublic = await toChannel(zoe, 'Scotland', 'open to all', 'lighthouse');
    hidden = await toChannel(zoe, 'Verona', 'open to all', 'lighthouse');
  });
  beforeEach(() => open(true));

  it.each([
    [[term('channel', 'Scotland'), term('topic', 'open to all')]],
    [[term('channels', 'web-public'), term('search', 'lighthouses')]],
    [[term('channels', 'web-public'), term('has', 'link', true), term('topic', 'open to all')]],
  ])('returns messages of web-public channels: %j', async (narrow) => {
    const { status, body } = await list(chat.client, narrow);
    expect({ status, ids: body.messages.map(({ id }) => id) }).toEqual({ status: 200, ids: [webPublic] });
    expect(body.messages[0]).toMatchObject({
      flags: ['read', 'historical'],
      sender_email: `user${zoe.id}@zulipdev.com`,
    });
  });

  it('returns messages by id from web-public channels only', async () => {
    const query = { message_ids: `[${webPublic},${hidden}]`, narrow: '[["channels","web-public"]]' };
    const { body } = await chat.client.get<Page>('/api/v1/messages', { query });
    expect(body.messages.map(({ id }) => id)).toEqual([webPublic]);
    const bare = await chat.client.get<Page>('/api/v1/messages', { query: { message_ids: `[${webPublic}]` } });
    expect(bare).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });

  it.each([[[]], [[term('channels', 'public')]], [[term('channel', 'Scotland', true)]], [[term('search', 'x')]]])(
    'responds 401 to %j',
    async (narrow) => {
      expect(await list(chat.client, narrow)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    },
  );

  it.each([
    [term('channel', 'Verona'), 'unknown channel Verona'],
    [term('is', 'unread'), 'is needs an account'],
    [term('in', 'home'), 'in needs an account'],
    [term('dm', [1]), 'dm needs an account'],
    [term('sender', 'me'), 'sender needs an account'],
  ])('rejects the narrow %j', async (narrow, desc) => {
    const response = await list(chat.client, [term('channels', 'web-public'), narrow]);
    expect(response).toMatchObject({ status: 400, body: { code: 'BAD_NARROW', desc } });
  });

  it('returns nothing if the organization does not allow spectators', async () => {
    await open(false);
    expect((await list(chat.client, [term('channel', 'Scotland')])).status).toBe(401);
  });
});

describe('GET /messages with random narrows', () => {
  const names =
    'channel channels topic dm dm-with group_pm_with sender mentions is has id near with in search -search constructor';
  const operators = fc.constantFrom(...names.split(' '), '__proto__', '');
  const operand = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'Verona',
      'public',
      'me',
      'unread',
      'link',
      'home',
      '"',
      '""',
      '東',
      ':*',
      "'",
      '\\',
      '%',
      '5,6',
      ' ',
    ),
    fc.maxSafeInteger(),
    fc.double(),
    fc.array(fc.oneof(fc.maxSafeInteger(), fc.string()), { maxLength: 3 }),
    fc.jsonValue(),
  );
  const anyTerm = fc.oneof(
    fc.record({ operator: operators, operand, negated: fc.boolean() }, { requiredKeys: ['operator', 'operand'] }),
    fc.tuple(operators, operand),
  );

  it('never responds with a 5xx status', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyTerm, { maxLength: 3 }), fc.boolean(), async (narrow, byIds) => {
        const text = JSON.stringify(narrow);
        const query = byIds
          ? { msg_ids: '[1,2,3]', narrow: text }
          : { anchor: 'first_unread', num_before: 2, num_after: 2, narrow: text };
        const path = byIds ? '/api/v1/messages/matches_narrow' : '/api/v1/messages';
        expect((await iago.client.get(path, { query })).status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});
