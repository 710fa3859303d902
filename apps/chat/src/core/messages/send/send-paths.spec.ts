import type { Tx } from '@switchboard/database';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import { openQueue, type TestQueue } from '../../../../test/event-queue.js';

// Two organizations get the same messages. In the second the statement that checks and inserts always refuses, so that
// every message is sent step by step. SEND_SEED and SEND_MESSAGES choose others, and more of them.
const seed = Number(process.env['SEND_SEED'] ?? 7);
const count = Number(process.env['SEND_MESSAGES'] ?? 80);

const people = ['desdemona', 'iago', 'shiva', 'hamlet', 'cordelia', 'othello', 'zoe', 'polonius'] as const;
type Person = (typeof people)[number];

interface Side {
  readonly cluster: ChatCluster;
  readonly chat: ChatProcess;
  readonly users: Readonly<Record<Person, DemoUser>>;
  readonly queues: Readonly<Record<Person, TestQueue>>;
  readonly statements: { inserted: number };
}

let both: readonly [Side, Side];

beforeAll(async () => {
  both = await Promise.all([startSide({ refuses: false }), startSide({ refuses: true })]);
});
afterAll(() => Promise.all(both.map(({ cluster }) => cluster.stop())));

async function startSide({ refuses }: { refuses: boolean }): Promise<Side> {
  const cluster = await chatCluster();
  const chat = await cluster.start({ ROLE: 'api', RATE_LIMIT_API_BY_USER: 'off' });
  await chat.runtime.database.query(world);
  const signedIn = await Promise.all(people.map(async (name) => [name, await signIn(chat, name)] as const));
  const users = Object.fromEntries(signedIn) as Record<Person, DemoUser>;
  const opened = await Promise.all(
    signedIn.map(async ([name, user]) => [name, await openQueue(chat, user, eventTypes)] as const),
  );
  const queues = Object.fromEntries(opened) as Record<Person, TestQueue>;
  return { cluster, chat, users, queues, statements: watchStatement(chat, refuses) };
}

/** Counts the messages that the one statement inserts, or lets it refuse all of them. */
function watchStatement({ runtime: { database } }: ChatProcess, refuses: boolean): { inserted: number } {
  const counted = { inserted: 0 };
  const begin = database.inTransaction.bind(database);
  const watched: typeof begin = (run, options) =>
    begin((tx) => {
      const query: Tx['query'] = tx.query.bind(tx);
      const watch: Tx['query'] = async <R>(...[sql, values]: Parameters<Tx['query']>) => {
        const isOurs = typeof sql !== 'string' && sql.name?.startsWith('send-to-channel-');
        if (isOurs && refuses) return { rows: [], rowCount: 0 };
        const outcome = await query<R>(sql, values);
        if (isOurs) counted.inserted += outcome.rows.length;
        return outcome;
      };
      return run(Object.assign(tx, { query: watch }));
    }, options);
  vi.spyOn(database, 'inTransaction').mockImplementation(watched);
  return counted;
}

const eventTypes = ['message', 'user_topic', 'stream', 'update_message_flags', 'submessage'];

const groupIs = (setting: string, group: string): string =>
  `${setting} = (SELECT g.id FROM user_groups g WHERE g.realm_id = channels.realm_id AND g.name = '${group}')`;

/** Channels of every policy, and users who set what a message changes. */
const world = `DO $$ BEGIN
  UPDATE channels SET topics_policy = 'disable_empty_topic' WHERE name = 'devel';
  UPDATE channels SET topics_policy = 'empty_topic_only' WHERE name = 'design';
  UPDATE channels SET ${groupIs('can_send_message_group_id', 'role:moderators')} WHERE name = 'support';
  UPDATE channels SET ${groupIs('can_create_topic_group_id', 'role:administrators')} WHERE name = 'social';
  UPDATE channels SET ${groupIs('can_send_message_group_id', 'role:nobody')} WHERE name = 'errors';
  UPDATE channels SET is_archived = true WHERE name = 'test';
  UPDATE subscriptions SET is_muted = true WHERE user_id = (SELECT id FROM users WHERE full_name = 'King Hamlet');
  UPDATE subscriptions SET email_notifications = true
    WHERE channel_id = (SELECT id FROM channels WHERE name = 'Denmark') AND user_id = (SELECT id FROM users WHERE full_name = 'Zoe');
  UPDATE users SET settings = settings || '{"automatically_follow_topics_policy": 4}' WHERE full_name = 'King Hamlet';
  UPDATE users SET settings = settings || '{"automatically_follow_topics_policy": 1}' WHERE full_name = 'Zoe';
END $$`;

const channels = ['Verona', 'Denmark', 'Scotland', 'Venice', 'Rome', 'core team', 'devel', 'design', 'support'];
const topic = fc.constantFrom('', 'lunch', 'Lunch', 'plans', '✔ plans', 'walnut', 'one', 'two', 'three');
const content = fc.constantFrom(
  'plain',
  '/me waves',
  'see https://example.com/a.png',
  'about walnut',
  'for @**King Hamlet** and @_**Zoe**',
  'for @**Polonius** and @**Default Bot**',
  '@*hamletcharacters*',
  '@**all** listen',
  '@**topic** listen',
  '/poll lunch?\nyes',
);
const by = fc.constantFrom(...people);

/** A request of an account, with the ids of the side that it goes to. */
interface Operation {
  readonly by: Person;
  readonly path: string;
  readonly form: (side: Side) => Record<string, string | number | boolean>;
}

const toChannel = fc
  .record({
    by,
    to: fc.constantFrom(...channels, 'social', 'errors', 'test', 'verona', 'nowhere'),
    topic,
    content,
    read_by_sender: fc.boolean(),
  })
  .map(({ by: sender, ...form }): Operation => ({
    by: sender,
    path: 'messages',
    form: () => ({ type: 'channel', ...form }),
  }));

const direct = fc
  .record({ by, to: fc.subarray([...people], { minLength: 1, maxLength: 3 }), content })
  .map(({ by: sender, to, content: text }): Operation => ({
    by: sender,
    path: 'messages',
    form: ({ users }) => ({ type: 'direct', to: JSON.stringify(to.map((name) => users[name].id)), content: text }),
  }));

const change = fc.oneof(
  fc
    .record({ by, topic, policy: fc.constantFrom(0, 1, 2, 3), channel: fc.constantFrom(1, 2, 3) })
    .map(({ by: actor, topic: name, policy, channel }): Operation => ({
      by: actor,
      path: 'user_topics',
      form: () => ({ stream_id: channel, topic: name, visibility_policy: policy }),
    })),
  fc
    .record({ by, muted: by })
    .map(({ by: actor, muted }): Operation => ({ by: actor, path: `users/me/muted_users/${muted}`, form: () => ({}) })),
  by.map((actor): Operation => ({
    by: actor,
    path: 'users/me/alert_words',
    form: () => ({ alert_words: '["walnut"]' }),
  })),
);

const operation = fc.oneof(
  { weight: 14, arbitrary: toChannel },
  { weight: 3, arbitrary: direct },
  { weight: 1, arbitrary: change },
);

async function perform(side: Side, { by: actor, path, form }: Operation): Promise<unknown> {
  const named = path.replace(/[a-z]+$/, (last) => (last in side.users ? String(side.users[last as Person].id) : last));
  const { status, body } = await side.users[actor].client.post(`/api/v1/${named}`, { form: form(side) });
  return { status, body };
}

/** An event without its times. */
const withoutTimes = (event: unknown): unknown =>
  JSON.parse(
    JSON.stringify(event, (key, value) => (key === 'timestamp' || key === 'last_updated' ? undefined : value)),
  );

async function eventsOf({ queues }: Side): Promise<unknown> {
  const read = people.map(async (name) => [name, (await queues[name].read()).map(withoutTimes)]);
  return Promise.all(read);
}

const tables = {
  messages: `SELECT m.id, m.sender_id, m.recipient_id, m.client_id, m.topic_id, m.topic_since, m.topic, m.is_me_message,
    m.has_link, m.has_attachment, m.has_image, t.content, t.rendered_content, t.rendered_version
    FROM messages m JOIN message_texts t ON t.message_id = m.id ORDER BY m.id`,
  recipients: 'SELECT user_id, message_id, flags FROM user_messages ORDER BY message_id, user_id',
  policies: 'SELECT user_id, channel_id, topic_key, visibility_policy FROM user_topics ORDER BY 1, 2, 3',
  topics: 'SELECT id, recipient_id, topic_key, topic FROM topics ORDER BY id',
};

async function rowsOf({ chat }: Side): Promise<unknown> {
  const read = Object.entries(tables).map(async ([name, sql]) => [name, (await chat.runtime.database.query(sql)).rows]);
  return Object.fromEntries(await Promise.all(read));
}

describe('POST /messages', () => {
  it(`sends the same by one statement and step by step (SEND_SEED=${seed} SEND_MESSAGES=${count})`, async () => {
    const [inline, stepwise] = both;
    const operations = fc.sample(operation, { seed, numRuns: count });
    let sent = 0;
    for (const [index, one] of operations.entries()) {
      const told = `${index}: ${JSON.stringify({ ...one, form: one.form(inline) })}`;
      const [found, expected] = await Promise.all(both.map((side) => perform(side, one)));
      expect(found, told).toEqual(expected);
      if (one.path === 'messages' && Object(found)['status'] === 200) sent += 1;
      if (index % 10 === 9) expect(await eventsOf(inline), told).toEqual(await eventsOf(stepwise));
    }
    expect(await eventsOf(inline)).toEqual(await eventsOf(stepwise));
    expect(await rowsOf(inline)).toEqual(await rowsOf(stepwise));
    expect(sent).toBeGreaterThan(count / 3);
    expect(inline.statements.inserted).toBeGreaterThan(sent / 4);
    expect(stepwise.statements.inserted).toBe(0);
  });
});
