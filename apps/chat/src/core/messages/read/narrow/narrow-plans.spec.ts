import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Tx } from '@switchboard/database';
import { selectCases } from '@switchboard/testing';
import { type ChatActor, userRoleNumbers } from '../../../../infra/http/chat-actor.js';
import type { MessageAnchor, MessageSelection } from '../parse-message-anchor.js';
import {
  findNewestTopicMessageRange,
  lockNewestTopicMessages,
} from '../../../../features/message-deletion/lock-newest-messages.repository.js';
import { maxMessageBatchSize } from '../../../message-access/index.js';
import { findMovedBatch, lockMovedMessages } from '../../../../features/message-editing/move-messages.repository.js';
import { markOldestUnreadMessagesRead } from '../../../../features/message-flags/mark-read.repository.js';
import { readMessagesPage } from '../messages-page.repository.js';
import { readUnreadMessages } from '../unread-messages.snapshot.js';
import { findMessageIdsOfNarrow } from './find-message-ids-of-narrow.js';
import { createNarrowedMessages } from './narrow-sql.js';
import { parseAndCheckNarrow, type ParsedAndCheckedNarrow } from './prepare-narrow.js';
import { createSelectedMessagesSql, findAnchorAndPageMessages } from './select-messages-of-narrow.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';
import { insertMessage } from '../../send/insert-message.repository.js';
import { resolveMentionedUsers } from '../../send/resolve-mentioned-users.repository.js';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../../../test/chat-server.js';
import { addLargeHistory, largeHistory } from '../../../../../test/large-message-history.js';
import { measurePlanCost, RecordingTx } from '../../../../../test/explain-query-plan.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let reader: ChatActor;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const { database } = chat.runtime;
  await database.inTransaction(addLargeHistory);
  // A concurrent snapshot of another connection prevents pages from becoming all-visible.
  await vi.waitFor(async () => expect(await pagesToVisit()).toBeLessThan(100), { timeout: 60_000 });
  const { rows } = await database.query<{ id: number; realm_id: number }>(
    `SELECT id, realm_id FROM users WHERE full_name = 'Seed 1'`,
  );
  const { id, realm_id: realmId } = rows[0]!;
  reader = {
    id,
    realmId,
    realm: String(realmId),
    kind: 'user',
    role: userRoleNumbers.member,
    deliveryEmail: 'seed1@example.com',
    fakeEmailDomain: 'localhost',
  };
}, 120_000);
afterAll(() => cluster.stop());

/**
 * Vacuums the tables of messages.
 *
 * @returns number of table pages whose rows index-only scans have to visit
 */
async function pagesToVisit(): Promise<number> {
  const { database } = chat.runtime;
  await database.pool.query(
    'VACUUM ANALYZE messages, message_texts, topics, user_messages, recipients, channels, subscriptions, users, user_topics, reactions',
  );
  const { rows } = await database.query<{ pages: number }>(
    `SELECT sum(relpages - relallvisible)::int AS pages FROM pg_class
     WHERE relname IN ('messages', 'message_texts', 'user_messages')`,
  );
  return rows[0]?.pages ?? 0;
}

type Terms = Parameters<typeof parseAndCheckNarrow>[2];

const pageSize = 50;
const newest: MessageAnchor = { kind: 'newest' };
const unread: MessageAnchor = { kind: 'first_unread' };
const middleAnchor: MessageAnchor = { kind: 'id', id: largeHistory / 2 };
const date: MessageAnchor = { kind: 'date', date: new Date(Date.now() - (largeHistory / 2) * 10_000) };

function selectionAt(anchor: MessageAnchor): MessageSelection {
  const [before, after] = anchor.kind === 'newest' ? [pageSize, 0] : [pageSize / 2, pageSize / 2];
  return { kind: 'range', anchor, before, after, includeAnchor: true };
}

/**
 * Reads a page of messages. Returns the number of messages on the page, and the cost of the SQL statements without the
 * lookup of names in the narrow (filter).
 */
async function costOfPage(terms: Terms, anchor: MessageAnchor) {
  const { database } = chat.runtime;
  const narrow = await parseAndCheckNarrow(database, reader, terms);
  const tx = new RecordingTx(database);
  const found = await findAnchorAndPageMessages(tx, narrow, selectionAt(anchor));
  const parameters = new NumberedSqlParameters();
  const narrowed = createSelectedMessagesSql(narrow, parameters);
  const { messages } = await readMessagesPage(tx, found, {
    narrowed,
    parameters,
    realmId: reader.realmId,
    form: 'html',
  });
  let buffers = 0;
  const scanned = new Set<string>();
  for (const statement of tx.statements.filter(({ text }) => !text.startsWith('EXPLAIN'))) {
    const cost = await measurePlanCost(database, statement);
    buffers += cost.buffers;
    for (const table of cost.scanned) scanned.add(table);
  }
  return { messages: messages.length, buffers, scanned };
}

const term = (operator: string, operand: string, negated = false) => ({ operator, operand, negated });
const channel = term('channel', 'seed10');
const unreceivedChannel = term('channel', 'seed70');
const allPublicChannels = term('channels', 'public');

/** Maximum numbers of table and index pages that PostgreSQL may read for one page of messages. */
const maxPages = {
  /** Maximum number of PostgreSQL pages for a search in one index that contains the messages in the requested order. */
  oneIndex: 1_000,
  /** Maximum number of PostgreSQL pages for a search that checks a few hundred candidate messages of each index. */
  fewTurns: 8_000,
  /** Maximum number of PostgreSQL pages for a search that reads a quarter of the reader's message history. */
  manyTurns: 15_000,
  /**
   * Maximum number of PostgreSQL pages for a search that reads all message texts of the reader's history, but not the
   * message rows.
   */
  allTexts: 6_800,
};

describe('GET /messages with 200,000 messages, of which the reader received a fifth', () => {
  const pages: readonly [string, Terms, MessageAnchor, number, keyof typeof maxPages][] = [
    ['the own history', [], newest, 50, 'oneIndex'],
    ['the own history around an id', [], middleAnchor, 50, 'oneIndex'],
    ['the own history near a message', [term('near', String(largeHistory / 2))], middleAnchor, 50, 'oneIndex'],
    ['the own history from the first unread message', [], unread, 51, 'oneIndex'],
    ['the own history from a date', [], date, 51, 'oneIndex'],
    ['the own history without what is muted', [term('in', 'home')], newest, 50, 'fewTurns'],
    ['a channel', [channel], newest, 50, 'oneIndex'],
    ['a channel around an id', [channel], middleAnchor, 50, 'oneIndex'],
    ['a channel from the first unread message', [channel], unread, 51, 'fewTurns'],
    ['a channel never received, from the first unread message', [unreceivedChannel], unread, 25, 'fewTurns'],
    ['a channel from a date', [channel], date, 51, 'fewTurns'],
    ['a topic', [channel, term('topic', 'topic 3')], newest, 40, 'oneIndex'],
    ['a topic that no channel has', [term('topic', 'no such topic')], newest, 0, 'fewTurns'],
    ['direct messages with a person', [term('dm', 'seed2@example.com')], newest, 50, 'fewTurns'],
    ['conversations with a person', [term('dm-with', 'seed2@example.com')], newest, 50, 'fewTurns'],
    ['is:dm', [term('is', 'dm')], newest, 50, 'oneIndex'],
    ['is:starred around an id', [term('is', 'starred')], middleAnchor, 40, 'oneIndex'],
    ['is:mentioned', [term('is', 'mentioned')], newest, 50, 'oneIndex'],
    ['is:alerted', [term('is', 'alerted')], newest, 0, 'oneIndex'],
    ['is:unread', [term('is', 'unread')], newest, 50, 'oneIndex'],
    ['-is:unread', [term('is', 'unread', true)], newest, 50, 'fewTurns'],
    ['-is:unread from the first unread message', [term('is', 'unread', true)], unread, 25, 'fewTurns'],
    ['is:muted', [term('is', 'muted')], newest, 40, 'fewTurns'],
    ['is:followed', [term('is', 'followed')], newest, 40, 'fewTurns'],
    ['is:resolved', [term('is', 'resolved')], newest, 40, 'fewTurns'],
    ['is:resolved from a date', [term('is', 'resolved')], date, 40, 'fewTurns'],
    ['a sender of 40 messages', [term('sender', 'seed99@example.com')], newest, 40, 'fewTurns'],
    ['a sender from the first unread message', [term('sender', 'seed99@example.com')], unread, 30, 'fewTurns'],
    ['a sender of 2,000 messages never received', [term('sender', 'seed98@example.com')], newest, 0, 'fewTurns'],
    ['has:link', [term('has', 'link')], newest, 50, 'fewTurns'],
    ['has:image never received', [term('has', 'image')], newest, 0, 'manyTurns'],
    ['has:attachment', [term('has', 'attachment')], newest, 50, 'fewTurns'],
    ['has:reaction never received', [term('has', 'reaction')], newest, 0, 'fewTurns'],
    ['mentions of the reader', [allPublicChannels, term('mentions', 'seed1@example.com')], newest, 50, 'fewTurns'],
    ['all public channels', [allPublicChannels], newest, 50, 'fewTurns'],
    [
      'a sender in all public channels',
      [allPublicChannels, term('sender', 'seed98@example.com')],
      newest,
      50,
      'fewTurns',
    ],
    ['a word that half of all messages have', [term('search', 'popular')], newest, 50, 'fewTurns'],
    ['a common word never received', [term('search', 'common')], newest, 0, 'allTexts'],
    ['a word of 4,000 messages never received', [term('search', 'medium')], newest, 0, 'manyTurns'],
    ['a word of 20 messages', [term('search', 'word1234')], newest, 0, 'fewTurns'],
    ['a word in one message', [term('search', '"message 4711 "')], newest, 1, 'fewTurns'],
    ['a common word in a channel', [channel, term('search', 'popular')], newest, 50, 'fewTurns'],
    ['a common phrase never received', [term('search', '"common popular"')], newest, 0, 'allTexts'],
    ['two letters that no message has', [term('search', '"zq"')], newest, 0, 'allTexts'],
    ['a sign that no message has', [term('search', '&&')], newest, 0, 'allTexts'],
    ['a common word with a sign that no message has', [term('search', 'popular &&')], newest, 0, 'allTexts'],
    ['a word of all topics with a sign that no message has', [term('search', 'topic &&')], newest, 0, 'allTexts'],
  ];
  it.each(selectCases(pages, (_, index) => index % 2 === 0))(
    'reads a bounded number of rows for the narrow %s',
    async (_name, terms, anchor, size, kind) => {
      const { messages, buffers, scanned } = await costOfPage(terms, anchor);
      expect(['messages', 'user_messages'].filter((table) => scanned.has(table))).toEqual([]);
      expect(buffers).toBeLessThanOrEqual(maxPages[kind]);
      expect(messages).toBe(size);
    },
  );
});

/**
 * Returns the ids of the messages after a given message that match a narrow (filter). Uses one SQL statement, with the
 * plan that PostgreSQL chooses.
 */
async function idsByOneStatement(
  narrow: ParsedAndCheckedNarrow,
  order: 'ASC' | 'DESC',
  beyond: number,
): Promise<number[]> {
  const parameters = new NumberedSqlParameters();
  const { from, where, id } = createNarrowedMessages(narrow, parameters);
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    `SELECT m.id FROM ${from} WHERE ${where} AND ${id} ${order === 'ASC' ? '>' : '<'} ${parameters.addValue(beyond)}::bigint
     ORDER BY ${id} ${order} LIMIT ${pageSize}`,
    parameters.values,
  );
  return rows.map((row) => row.id);
}

describe('findMessageIdsOfNarrow', () => {
  it.each<[string, Terms]>([
    ['followed topics', [term('is', 'followed')]],
    ['muted topics', [term('is', 'muted')]],
    ['messages that are not muted', [term('is', 'muted', true)]],
    ['resolved topics', [term('is', 'resolved')]],
    ['read messages', [term('is', 'unread', true)]],
    ['messages of a sender', [term('sender', 'seed7@example.com')]],
    ['messages of a sender in a channel', [channel, term('sender', 'seed7@example.com')]],
    ['links of a sender', [term('sender', 'seed7@example.com'), term('has', 'link')]],
    ['images never received', [term('has', 'image')]],
    ['reactions', [allPublicChannels, term('has', 'reaction')]],
    ['mentions', [allPublicChannels, term('mentions', 'seed1@example.com')]],
    ['direct messages', [term('dm-with', 'seed2@example.com')]],
    ['channels that are archived', [term('channels', 'archived')]],
    ['a topic in every channel', [term('topic', 'topic 9')]],
    ['a word with links', [term('search', 'popular'), term('has', 'attachment')]],
    ['a phrase', [term('search', '"4711 "')]],
    ['a word of all topics with one of the content', [term('search', 'topic medium')]],
    ['a word without a phrase', [term('search', 'popular'), term('search', '"word12"', true)]],
  ])(
    'finds the same results for %s in many small statements as in one statement over all messages',
    async (_name, terms) => {
      const { database } = chat.runtime;
      const narrow = await parseAndCheckNarrow(database, reader, terms);
      for (const order of ['ASC', 'DESC'] as const) {
        const query = { narrow, order, beyond: largeHistory / 2, limit: pageSize };
        const found = await findMessageIdsOfNarrow(database, query, { first: 1, largest: 700 });
        expect(found).toEqual(await idsByOneStatement(narrow, order, query.beyond));
      }
    },
  );

  it('reads few received messages of the reader when a search by the index of the sender is much faster', async () => {
    const narrow = await parseAndCheckNarrow(chat.runtime.database, reader, [term('sender', 'seed98@example.com')]);
    const recording = new RecordingTx(chat.runtime.database);
    const windows = { first: 20, largest: 200_000 };
    expect(
      await findMessageIdsOfNarrow(recording, { narrow, order: 'DESC', beyond: null, limit: 10 }, windows),
    ).toEqual([]);
    let touched = 0;
    for (const statement of recording.statements) {
      touched += (await measurePlanCost(chat.runtime.database, statement)).touched.get('messages') ?? 0;
    }
    // The sender has 2,000 messages. Equal reads of both indexes would check as many received messages.
    expect(touched).toBeLessThanOrEqual(2_000 + 1_000);
  });
});

describe('insertMessage', () => {
  it('finds the recipients of a channel message by reading only an index, not the table', async () => {
    const rollback = new Error('rolled back');
    const cost = chat.runtime.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ channelId: number; recipientId: number; clientId: number }>(
        `SELECT c.id AS "channelId", r.id AS "recipientId", (SELECT min(id) FROM clients) AS "clientId"
         FROM channels c JOIN recipients r ON r.channel_id = c.id WHERE c.name = 'seed0'`,
      );
      const { channelId, recipientId, clientId } = rows[0]!;
      const text = { topic: 'topic 1', topicKey: 'topic 1', content: 'x', rendered: '<p>x</p>', renderedVersion: 1 };
      const properties = { isMeMessage: false, hasLink: false, hasAttachment: false, hasImage: false };
      const place = { realmId: reader.realmId, senderId: reader.id, recipientId, clientId };
      const message = { ...place, ...text, ...properties };
      const none = { userIds: [], groupIds: [], channelWildcard: false, topicWildcard: false };
      const recording = new RecordingTx(tx);
      const to = { channelId, attentiveIds: [] };
      const { receivers } = await insertMessage(recording, message, to, { ...none, readBySender: false });
      expect(receivers).toEqual([[0, [reader.id]]]);
      // Few rows are usually read from the table.
      await tx.query('SET LOCAL enable_seqscan = off');
      await tx.query('SET LOCAL enable_bitmapscan = off');
      const { touched, fetched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('subscriptions')).toBeGreaterThanOrEqual(1);
      // The subscription of the sender.
      expect(fetched.get('subscriptions')).toBeLessThanOrEqual(1);
      throw rollback;
    });
    await expect(cost).rejects.toBe(rollback);
  });
});

describe('resolveMentionedUsers', () => {
  it('resolves a mention by an index', async () => {
    const { database } = chat.runtime;
    const tx = new RecordingTx(database);
    await resolveMentionedUsers(tx, reader, [
      { kind: 'user', name: 'Seed 5', userId: undefined, silent: false },
      { kind: 'user', name: 'Seed 7', userId: reader.id, silent: false },
    ]);
    const plans = await Promise.all(tx.statements.map((statement) => measurePlanCost(database, statement)));
    expect(plans.map(({ scanned }) => [...scanned])).toEqual([[]]);
  });
});

describe('GET /messages of one topic in all channels', () => {
  it.each(['topic 9', 'no such topic'])('finds topics named "%s" by an index', async (name) => {
    const { scanned } = await costOfPage([term('topic', name)], newest);
    expect(scanned).not.toContain('topics');
  });
});

describe('GET /messages with 4,000 resolved topics', () => {
  it('reads a bounded number of rows for is:resolved', async () => {
    const { database } = chat.runtime;
    // Every 50th message has a separate topic.
    await database.query(
      `WITH done AS (
         INSERT INTO topics (recipient_id, topic_key, topic)
         SELECT m.recipient_id, '✔ done ' || m.id, '✔ done ' || m.id FROM messages m JOIN topics t ON t.id = m.topic_id
         WHERE t.topic LIKE 'topic %' AND hashint8(m.id) % 50 = 0 RETURNING id, topic)
       UPDATE messages m SET topic_id = done.id FROM done WHERE m.id = split_part(done.topic, ' ', 3)::bigint`,
    );
    await database.query('ANALYZE messages, topics');
    const { messages, buffers } = await costOfPage([term('is', 'resolved')], newest);
    expect(messages).toBe(50);
    expect(buffers).toBeLessThanOrEqual(maxPages.manyTurns);
  });
});

describe('GET /messages of one message or one topic', () => {
  it('finds a message by its id in the history of the reader', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      'SELECT min(message_id)::int AS id FROM user_messages WHERE user_id = $1 AND message_id > $2',
      [reader.id, largeHistory / 2],
    );
    const { messages, buffers } = await costOfPage([term('id', String(rows[0]?.id))], newest);
    expect(messages).toBe(1);
    // The first window of the history is read before the message is looked up.
    expect(buffers).toBeLessThanOrEqual(maxPages.oneIndex / 5);
  });

  it('reads the newest messages of a topic with 20,000 messages by the index of topics', async () => {
    const { database } = chat.runtime;
    await database.query(
      `UPDATE messages m SET recipient_id = t.recipient_id, topic_id = t.id
       FROM topics t JOIN recipients r ON r.id = t.recipient_id JOIN channels c ON c.id = r.channel_id
       WHERE c.name = 'seed10' AND t.topic_key = 'topic 4' AND hashint8(m.id) % 10 = 1`,
    );
    await database.query('ANALYZE messages');
    const { messages, buffers } = await costOfPage([channel, term('topic', 'topic 4')], newest);
    expect(messages).toBe(50);
    expect(buffers).toBeLessThanOrEqual(maxPages.oneIndex);
  });

  const channelOfTopic = async () => {
    const { rows } = await chat.runtime.database.query<{ id: number; recipientId: number }>(
      `SELECT c.id, r.id AS "recipientId" FROM recipients r JOIN channels c ON c.id = r.channel_id WHERE c.name = 'seed10'`,
    );
    return rows[0]!;
  };

  it.each([
    ['counts', true, false],
    ['leaves out', false, false],
    ['has counted', true, true],
  ])(
    'reads only the next 500 messages of a topic with 20,000 messages when a move %s recipients',
    async (_name, ...how) => {
      const [countsRecipients, isFound] = how;
      const { recipientId } = await channelOfTopic();
      const movable = { mode: 'change_all', id: 0, recipientId, topicKey: 'topic 4', after: largeHistory / 2 } as const;
      const batch = { countsRecipients, size: maxMessageBatchSize };
      const { database } = chat.runtime;
      const found = isFound ? await findMovedBatch(database, reader, movable, batch) : null;
      expect(found === null).toBe(!isFound);
      await database.inTransaction(async (tx) => {
        const recording = new RecordingTx(tx);
        const { messages, isFull } = await lockMovedMessages(recording, reader, movable, { ...batch, found });
        expect(messages).toHaveLength(500);
        expect(isFull).toBe(true);
        // Each row is found, read for its missing recipients, and read to be locked.
        const { touched } = await measurePlanCost(tx, recording.statements[0]!);
        expect(touched.get('messages')).toBeLessThanOrEqual(1_500);
      });
    },
  );

  it.each([
    ['', false],
    [' within bounds', true],
  ])('reads only the newest 500 messages%s of a topic with 20,000 messages to delete them', async (_name, isFound) => {
    const { id: channelId } = await channelOfTopic();
    const part = { channelId, topic: 'topic 4', before: largeHistory / 2 };
    const found = isFound
      ? await findNewestTopicMessageRange(chat.runtime.database, reader, part, maxMessageBatchSize)
      : null;
    expect(found === null).toBe(!isFound);
    await chat.runtime.database.inTransaction(async (tx) => {
      const recording = new RecordingTx(tx);
      const { messages } = await lockNewestTopicMessages(recording, reader, part, { size: maxMessageBatchSize, found });
      expect(messages).toHaveLength(500);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('messages')).toBeLessThanOrEqual(1_000);
    });
  });

  it('reads unread messages and mentions from an index only', async () => {
    const recording = new RecordingTx(chat.runtime.database);
    const { count, streams } = await readUnreadMessages(recording, reader.id, (topic) => topic);
    expect(count).toBeGreaterThan(30_000);
    const { touched, fetched } = await measurePlanCost(chat.runtime.database, recording.statements[0]!);
    expect(touched.get('topics')).toBeLessThanOrEqual(streams.length);
    expect(touched.get('user_messages')).toBeGreaterThan(30_000);
    expect(fetched.get('user_messages') ?? 0).toBeLessThanOrEqual(2_000);
  });

  it('reads few rows of a large backlog to find the newest read messages', async () => {
    await chat.runtime.database.inTransaction(async (tx) => {
      await tx.query(
        'UPDATE user_messages SET flags = flags & ~1 WHERE user_id = $1 AND message_id > $2 AND flags & 1 <> 0',
        [reader.id, largeHistory * 0.2],
      );
      const narrow = await parseAndCheckNarrow(tx, reader, [term('is', 'unread', true)]);
      const recording = new RecordingTx(tx);
      const found = await findMessageIdsOfNarrow(recording, { narrow, order: 'DESC', beyond: null, limit: pageSize });
      const { rows } = await tx.query<{ id: number }>(
        'SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 1 <> 0 ORDER BY message_id DESC LIMIT $2',
        [reader.id, pageSize],
      );
      expect(found).toEqual(rows.map(({ id }) => id));
      let fetched = 0;
      for (const statement of recording.statements) {
        fetched += (await measurePlanCost(tx, statement)).fetched.get('user_messages') ?? 0;
      }
      // The reader has 32,000 unread messages.
      expect(fetched).toBeLessThanOrEqual(10_000);
    });
  });

  it('reads only unread messages after the previous batch when marking messages as read', async () => {
    await chat.runtime.database.inTransaction(async (tx) => {
      await tx.query('UPDATE user_messages SET flags = flags & ~1 WHERE user_id = $1 AND message_id > $2', [
        reader.id,
        largeHistory / 2,
      ]);
      const recording = new RecordingTx(tx);
      const scope = { recipientId: null, topicKey: null };
      const part = { after: largeHistory * 0.9, most: 100 };
      const { messageIds, last } = await markOldestUnreadMessagesRead(recording, reader.id, scope, part);
      expect(messageIds).toHaveLength(100);
      expect(messageIds[0]).toBeGreaterThan(part.after);
      expect(last).toBe(messageIds[99]);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      // Each row is found, and read again to be marked.
      expect(touched.get('user_messages')).toBeLessThanOrEqual(400);
    });
  });
});

describe('GET /messages of a long history', () => {
  // A prepared statement may get a plan for any reader, which reads and sorts the whole of a long history.
  it.each<[string, (tx: Tx, narrow: ParsedAndCheckedNarrow) => Promise<unknown>]>([
    [
      'the windows of findIds',
      (tx, narrow) =>
        findMessageIdsOfNarrow(
          tx,
          { narrow, order: 'DESC', beyond: largeHistory / 2, limit: 10 },
          { first: 20, largest: 20 },
        ),
    ],
    [
      'a page of more than 200 messages',
      (tx, narrow) => {
        const selection = { kind: 'range', anchor: newest, before: 250, after: 0, includeAnchor: true } as const;
        const parameters = new NumberedSqlParameters();
        const narrowed = createSelectedMessagesSql(narrow, parameters);
        return readMessagesPage(tx, selection, { narrowed, parameters, realmId: reader.realmId, form: 'html' });
      },
    ],
  ])('lets PostgreSQL plan the SQL statement again for each %s', async (_name, read) => {
    const { database } = chat.runtime;
    const narrow = await parseAndCheckNarrow(database, reader, [term('has', 'link')]);
    const prepared = await database.inTransaction(async (tx) => {
      for (let use = 0; use < 6; use += 1) await read(tx, narrow);
      const { rows } = await tx.query<{ name: string }>(
        `SELECT name FROM pg_prepared_statements WHERE statement ~ 'candidate AS|LIMIT 250'`,
      );
      return rows;
    });
    expect(prepared).toEqual([]);
  });
});
