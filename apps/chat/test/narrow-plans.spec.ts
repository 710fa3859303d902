import { readFile } from 'node:fs/promises';
import type { OpenTx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatActor, role } from '../src/access/actor.js';
import { readMessagesPage } from '../src/modules/messages/messages-page.repository.js';
import { resolveUsers } from '../src/modules/messages/resolve-people.repository.js';
import { prepareNarrow } from '../src/modules/messages/narrow/prepare-narrow.js';
import { type ChatCluster, chatCluster, type ChatProcess } from './chat-server.js';
import { costOf, RecordingTx } from './query-plan.js';

const size = { messages: 50_000, users: 500, channels: 50, receivers: 5 };
const page = 100;

let cluster: ChatCluster;
let chat: ChatProcess;
let reader: ChatActor;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  await chat.runtime.database.inTransaction(seed);
  // All rows, not a sample: what the planner knows must not differ from run to run.
  await chat.runtime.database.pool.query(
    `SET default_statistics_target = 10000; ANALYZE messages, user_messages, recipients, channels, subscriptions, users;
     RESET default_statistics_target`,
  );
  const { rows } = await chat.runtime.database.query<{ id: number; realm_id: number }>(
    `SELECT id, realm_id FROM users WHERE full_name = 'Seed 1'`,
  );
  const { id, realm_id: realmId } = rows[0]!;
  reader = {
    id,
    realmId,
    realm: String(realmId),
    kind: 'user',
    role: role.member,
    deliveryEmail: 'seed1@example.com',
    fakeEmailDomain: 'localhost',
  };
}, 120_000);
afterAll(() => cluster.stop());

async function seed(tx: OpenTx): Promise<void> {
  for (const [name, value] of Object.entries(size)) {
    await tx.query('SELECT set_config($1, $2, true)', [`seed.${name}`, String(value)]);
  }
  const script = await readFile(new URL('../../../prisma/chat/seeds/conversation.sql', import.meta.url), 'utf8');
  await tx.query(script);
  await tx.query(directMessages);
  for (const statement of marks) await tx.query(statement);
}

/** Three hundred messages between the first two of the seed, in the middle of the others. */
const directMessages = `
  WITH people AS (SELECT min(id) AS first, min(id) + 1 AS second, min(realm_id) AS realm_id FROM users WHERE full_name LIKE 'Seed %'),
  recipient AS (
    INSERT INTO recipients (realm_id, participants_key, participant_ids)
    SELECT realm_id, encode(sha256((first || ',' || second)::bytea), 'hex'), ARRAY[first, second] FROM people RETURNING id),
  message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, content, rendered_content, rendered_version)
    SELECT people.realm_id, people.first, recipient.id, (SELECT min(id) FROM clients), 'hello', '<p>hello</p>', 1
    FROM people, recipient, generate_series(1, 300) RETURNING id)
  INSERT INTO user_messages (user_id, message_id, flags)
  SELECT unnest(ARRAY[people.first, people.second]), message.id, 513 FROM people, message`;

/** Of the topics in the history of the reader some are followed and some muted; few messages have reactions. */
const marks = [
  `INSERT INTO user_topics (user_id, channel_id, topic, topic_key, visibility_policy)
   SELECT DISTINCT ON (u.id, r.channel_id, m.topic_key) u.id, r.channel_id, m.topic, m.topic_key,
     CASE WHEN m.id % 8 = 0 THEN 1 ELSE 3 END
   FROM users u JOIN user_messages um ON um.user_id = u.id JOIN messages m ON m.id = um.message_id
   JOIN recipients r ON r.id = m.recipient_id
   WHERE u.full_name = 'Seed 1' AND r.channel_id IS NOT NULL AND m.id % 4 = 0`,
  `INSERT INTO reactions (user_id, message_id, reaction_type, emoji_name, emoji_code)
   SELECT um.user_id, um.message_id, 'unicode_emoji', 'tada', '1f389' FROM user_messages um WHERE um.message_id % 40 = 0
   ON CONFLICT DO NOTHING`,
];

type Terms = Parameters<typeof prepareNarrow>[2];
type Anchor = Parameters<typeof readMessagesPage>[1] & { kind: 'range' };

const newest: Anchor = { kind: 'range', anchor: { kind: 'newest' }, before: page, after: 0, includeAnchor: true };
const unread: Anchor = { kind: 'range', anchor: { kind: 'first_unread' }, before: 50, after: 50, includeAnchor: true };
const middle: Anchor = {
  kind: 'range',
  anchor: { kind: 'id', id: size.messages / 2 },
  before: 50,
  after: 50,
  includeAnchor: true,
};

/**
 * What the statements of a page return and cost; those that look up names are no part of it. The page itself is one row
 * that holds many messages.
 */
async function costsOfPage(terms: Terms, selection: Anchor) {
  const { database } = chat.runtime;
  const tx = new RecordingTx(database);
  const narrow = await prepareNarrow(tx, reader, terms);
  const source = {
    ...narrow,
    actorId: reader.id,
    realmId: reader.realmId,
    form: 'html' as const,
    isSearch: narrow.search !== null,
  };
  const { messages } = await readMessagesPage(tx, selection, source);
  const costs = [];
  for (const statement of tx.statements.filter(({ text }) => text.includes('messages'))) {
    const returned = statement.text.includes('picked') ? messages.length : statement.returned;
    costs.push({ returned, ...(await costOf(database, statement)) });
  }
  return { messages: messages.length, costs };
}

const dated: Anchor = {
  kind: 'range',
  anchor: { kind: 'date', date: new Date(Date.now() - (size.messages / 2) * 10_000) },
  before: 50,
  after: 50,
  includeAnchor: true,
};

const tables = ['messages', 'user_messages'];

const term = (operator: string, operand: string | number) => ({ operator, operand });
const everywhere = term('channels', 'public');
const channel = term('channel', 'seed7');
const topic = [channel, term('topic', 'topic 3')];

describe('a page of 50,000 messages is found by an index, and reads at most ten times what it returns', () => {
  it.each<[string, Terms, Anchor]>([
    ['of a channel', [channel], newest],
    ['of a channel around a message', [channel], middle],
    ['of a topic', topic, newest],
    ['of a channel from a date on', [channel], dated],
    ['of the own history', [], newest],
    ['of the own history around a message', [], middle],
    ['of the own history from a date on', [], dated],
    ['of the own history from what is unread', [], unread],
    ['of what is starred', [term('is', 'starred')], newest],
    ['of mentions', [term('is', 'mentioned')], newest],
    ['of what is unread', [term('is', 'unread')], newest],
    ['of all public channels', [everywhere], newest],
    ['of attachments', [everywhere, term('has', 'attachment')], newest],
    ['of a sender', [everywhere, term('sender', 'seed8@example.com')], newest],
    ['of mentions of somebody', [everywhere, term('mentions', 'seed8@example.com')], newest],
    ['of a word that few messages have', [everywhere, term('search', 'scarce')], newest],
    ['of a word in one message', [everywhere, term('search', '"message 4711 "')], newest],
    ['of a word that many messages have', [everywhere, term('search', 'common')], newest],
    ['of a part of a word', [everywhere, term('search', '"ord999 w"')], newest],
    ['of a word in a channel', [channel, term('search', 'message')], newest],
    ['of a scarce word in the own history', [term('search', 'word77')], newest],
    ['of all direct messages', [term('is', 'dm')], newest],
    ['of direct messages with somebody', [term('dm', 'seed2@example.com')], newest],
    ['of all conversations with somebody', [term('dm-with', 'seed2@example.com')], newest],
  ])('%s', async (_name, terms, selection) => {
    const { messages, costs } = await costsOfPage(terms, selection);
    expect(messages).toBeGreaterThan(0);
    for (const { returned, touched, scanned } of costs) {
      expect(tables.filter((table) => scanned.has(table))).toEqual([]);
      for (const table of tables) expect(touched.get(table) ?? 0).toBeLessThanOrEqual(10 * returned);
    }
    expect(costs.reduce((sum, { executionMs }) => sum + executionMs, 0)).toBeLessThan(300);
  });
});

describe('a page of what no flag tells reads the own history newest first, and nothing of others', () => {
  it.each<[string, Terms]>([
    ['followed topics', [term('is', 'followed')]],
    ['muted topics', [term('is', 'muted')]],
    ['messages with reactions', [term('has', 'reaction')]],
  ])('%s', async (_name, terms) => {
    const { rows } = await chat.runtime.database.query<{ count: number }>(
      'SELECT count(*) FROM user_messages WHERE user_id = $1',
      [reader.id],
    );
    const { messages, costs } = await costsOfPage(terms, newest);
    expect(messages).toBeGreaterThan(0);
    for (const { touched, scanned } of costs) {
      expect(tables.filter((table) => scanned.has(table))).toEqual([]);
      for (const table of tables) expect(touched.get(table) ?? 0).toBeLessThanOrEqual(rows[0]?.count ?? 0);
    }
  });
});

it('the account that a mention names is found by an index', async () => {
  const { database } = chat.runtime;
  const tx = new RecordingTx(database);
  await resolveUsers(tx, reader, [
    { kind: 'user', name: 'Seed 5', userId: undefined, silent: false },
    { kind: 'user', name: 'Seed 7', userId: reader.id, silent: false },
  ]);
  const plans = await Promise.all(tx.statements.map((statement) => costOf(database, statement)));
  expect(plans.map(({ scanned }) => [...scanned])).toEqual([[]]);
});
