import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageReaders } from '../../core/message-access/index.js';
import { RunStoredMoves } from './index.js';
import { isFirstMovedMessageBefore, listUsersLosingAccess, markMovedMessagesRead } from './move-messages.repository.js';
import { ClientProgramIdCache, findEmptyTopicRange, isTopicStillEmpty } from '../../core/messages/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, cordelia] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'cordelia')]);
});
afterAll(() => cluster.stop());

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

/**
 * Sends a message to a topic, and inserts copies of it that have no recipients.
 *
 * @returns ids of all these messages, ascending
 */
async function fillTopic(topic: string, copies: number, channel = 'Verona'): Promise<number[]> {
  const first = await send(hamlet, { to: channel, topic });
  const { rows } = await query(
    `WITH copy AS (
       INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic)
       SELECT realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic
       FROM messages, generate_series(1, $2) WHERE id = $1 RETURNING id)
     INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
     SELECT copy.id, content, rendered_content, rendered_version FROM copy, message_texts
     WHERE message_id = $1 RETURNING message_id AS id`,
    [first, copies],
  );
  return [first, ...rows.map(({ id }) => Number(id))];
}

async function move(user: DemoUser, id: number, form: Record<string, string | number | boolean>) {
  return (await user.client.patch<{ result: string; msg: string }>(`/api/v1/messages/${id}`, { form })).body;
}

interface Topic {
  readonly channel: string;
  readonly topic: string;
}

/** Returns the ids of the messages in a topic, and the contents of the Notification Bot messages in this topic. */
async function read({ channel, topic }: Topic): Promise<{ ids: number[]; notices: string[] }> {
  const { rows } = await query(
    `SELECT m.id, x.content, u.full_name FROM messages m JOIN message_texts x ON x.message_id = m.id JOIN recipients r ON r.id = m.recipient_id
     JOIN channels c ON c.id = r.channel_id JOIN users u ON u.id = m.sender_id
     JOIN topics t ON t.id = m.topic_id
     WHERE c.name = $1 AND t.topic_key = lower($2) ORDER BY m.id`,
    [channel, topic],
  );
  const isNotice = (row: Record<string, unknown>): boolean => row['full_name'] === 'Notification Bot';
  return {
    ids: rows.filter((row) => !isNotice(row)).map(({ id }) => Number(id)),
    notices: rows.filter(isNotice).map(({ content }) => String(content)),
  };
}

const channelId = async (name: string): Promise<number> =>
  Number((await query('SELECT id FROM channels WHERE name = $1', [name])).rows[0]?.['id']);

const movesUnderWay = async () => (await query('SELECT id FROM message_moves')).rows;

/** Returns the message ids that events contain, in the order of the events. */
const namedIds = (events: readonly Record<string, unknown>[]) =>
  events.flatMap((event) => event['message_ids'] as number[]);

describe('PATCH /messages/{id} that moves many messages', { timeout: 60_000 }, () => {
  it('moves a topic in batches, and emits separate events for each batch', async () => {
    const ids = await fillTopic('large', 1_200);
    await query("UPDATE channels SET history_public_to_subscribers = true WHERE name = 'core team'");
    const bulk = { client_capabilities: JSON.stringify({ bulk_message_deletion: true }) };
    const [reader, other] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['update_message']),
      openTestEventQueue(chat, cordelia, ['delete_message'], bulk),
    ]);
    const form = { stream_id: await channelId('core team'), propagate_mode: 'change_all' };
    expect(await move(hamlet, ids[1] ?? 0, form)).toMatchObject({ result: 'success' });
    const moved = await reader.read();
    const gone = await other.read();
    expect(moved.length).toBeGreaterThan(1);
    expect(namedIds(moved)).toEqual(ids);
    expect(new Set(moved.map((event) => event['message_id']))).toEqual(new Set([ids[1]]));
    expect(namedIds(gone)).toEqual(ids);
    const { ids: there, notices } = await read({ channel: 'core team', topic: 'large' });
    expect(there).toEqual(ids);
    expect(notices).toEqual([expect.stringContaining('moved this topic here from #**Verona>large**')]);
    expect(await movesUnderWay()).toEqual([]);
    const { rows } = await query(
      'SELECT c.name FROM topics t JOIN recipients r ON r.id = t.recipient_id JOIN channels c ON c.id = r.channel_id WHERE t.topic_key = $1',
      ['large'],
    );
    expect(rows).toEqual([{ name: 'core team' }]);
  });

  it('emits the oldest message of each channel once, after all batches are moved', async () => {
    const form = { subscriptions: JSON.stringify([{ name: 'emptied' }, { name: 'filled' }]) };
    await hamlet.client.post('/api/v1/users/me/subscriptions', { form });
    const [emptied, filled] = await Promise.all([channelId('emptied'), channelId('filled')]);
    await query('DELETE FROM messages m USING recipients r WHERE r.id = m.recipient_id AND r.channel_id = ANY($1)', [
      [emptied, filled],
    ]);
    const ids = await fillTopic('large', 700, 'emptied');
    const queue = await openTestEventQueue(chat, hamlet, ['stream']);
    const target = { stream_id: filled, propagate_mode: 'change_all', send_notification_to_new_thread: false };
    expect(await move(hamlet, ids[1] ?? 0, target)).toMatchObject({ result: 'success' });
    const events = (await queue.read()).filter(({ property }) => property === 'first_message_id');
    expect(events.map((event) => [event['stream_id'], event['value']]).toSorted()).toEqual(
      [
        [emptied, null],
        [filled, ids[0]],
      ].toSorted(),
    );
  });

  it('moves only later messages when propagate_mode is change_later, and returns the number of moved messages', async () => {
    const ids = await fillTopic('later', 1_200);
    const form = { topic: 'much later', propagate_mode: 'change_later', send_notification_to_old_thread: true };
    expect(await move(hamlet, ids[3] ?? 0, form)).toMatchObject({ result: 'success' });
    expect((await read({ channel: 'Verona', topic: 'much later' })).ids).toEqual(ids.slice(3));
    const left = await read({ channel: 'Verona', topic: 'later' });
    expect(left.ids).toEqual(ids.slice(0, 3));
    expect(left.notices).toEqual([expect.stringContaining(`moved ${ids.length - 3} messages to`)]);
  });

  it('renames a topic with more messages than one event can contain without updating message rows', async () => {
    const ids = await fillTopic('vast', 10_500);
    const versions = async () =>
      (
        await query('SELECT md5(string_agg(ctid::text, $2 ORDER BY id)) AS all FROM messages WHERE id = ANY($1)', [
          ids,
          ',',
        ])
      ).rows;
    const [before, queue] = [await versions(), await openTestEventQueue(chat, hamlet, ['update_message'])];
    const form = { topic: 'Vaster', propagate_mode: 'change_all' };
    expect(await move(hamlet, ids[1] ?? 0, form)).toMatchObject({ result: 'success' });
    const events = await queue.read();
    expect(events.map((event) => (event['message_ids'] as number[]).length)).toEqual([10_000, ids.length - 10_000]);
    expect(namedIds(events)).toEqual(ids);
    expect(await versions()).toEqual(before);
    expect(await read({ channel: 'Verona', topic: 'vaster' })).toEqual({
      ids,
      notices: [expect.stringContaining('moved this topic here from #**Verona>vast**')],
    });
    const { rows } = await query("SELECT topic_before, topic FROM topic_renamings WHERE topic = 'Vaster'");
    expect(rows).toEqual([{ topic_before: 'vast', topic: 'Vaster' }]);
  });

  it('renames only messages that the user received when the history of the channel is protected', async () => {
    const subscriptions = JSON.stringify([{ name: 'protected' }]);
    const access = { invite_only: true, history_public_to_subscribers: false };
    await hamlet.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions, ...access } });
    const ids = await fillTopic('plan', 1_200, 'protected');
    const received = ids.slice(0, -3);
    await query(
      `INSERT INTO user_messages (user_id, message_id, flags) SELECT $1, unnest($2::bigint[]), 1 ON CONFLICT DO NOTHING`,
      [hamlet.id, received],
    );
    const queue = await openTestEventQueue(chat, hamlet, ['update_message']);
    const form = { topic: 'secret plan', propagate_mode: 'change_all' };
    expect(await move(hamlet, received[1] ?? 0, form)).toMatchObject({ result: 'success' });
    const events = await queue.read();
    // Each batch of the move has an event. A renaming would have only one event for all messages.
    expect(events.length).toBeGreaterThan(1);
    expect(namedIds(events)).toEqual(received);
    expect((await read({ channel: 'protected', topic: 'secret plan' })).ids).toEqual(received);
    expect((await read({ channel: 'protected', topic: 'plan' })).ids).toEqual(ids.slice(-3));
    expect(await movesUnderWay()).toEqual([]);
    const renamings = await query("SELECT id FROM topic_renamings WHERE topic = 'secret plan'");
    expect(renamings.rows).toEqual([]);
  });

  it('renames a topic by letter case only, and renames the settings of users for the topic', async () => {
    const ids = await fillTopic('by case', 1_200);
    await query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy) VALUES ($1, $2, $3, $3, 3)`,
      [cordelia.id, await channelId('Verona'), 'by case'],
    );
    const form = { topic: 'By Case', propagate_mode: 'change_all', send_notification_to_new_thread: false };
    expect(await move(hamlet, ids[0] ?? 0, form)).toMatchObject({ result: 'success' });
    const { rows } = await query(
      `SELECT CASE WHEN m.topic_since = t.last_renaming_id THEN coalesce(m.topic, t.topic) ELSE t.topic END AS topic,
         count(*)::int AS count
       FROM messages m JOIN topics t ON t.id = m.topic_id WHERE t.topic_key = $1 GROUP BY 1`,
      ['by case'],
    );
    expect(rows).toEqual([{ topic: 'By Case', count: ids.length }]);
    const followed = await query('SELECT topic FROM user_topics WHERE topic_key = $1 AND user_id = $2', [
      'by case',
      cordelia.id,
    ]);
    expect(followed.rows).toEqual([{ topic: 'By Case' }]);
  });

  it('lets a second move of the topic wait for the first', async () => {
    const ids = await fillTopic('wanted twice', 2_000);
    const there = (topic: string) => ({ topic, propagate_mode: 'change_all', send_notification_to_new_thread: false });
    const [first, second] = await Promise.all([
      move(hamlet, ids[0] ?? 0, there('one place')),
      move(hamlet, ids[1] ?? 0, there('another place')),
    ]);
    expect([first, second]).toMatchObject([{ result: 'success' }, { result: 'success' }]);
    const places = await Promise.all(
      ['wanted twice', 'one place', 'another place'].map((topic) => read({ channel: 'Verona', topic })),
    );
    expect(places.filter((place) => place.ids.length > 0)).toMatchObject([{ ids }]);
  });

  it('includes messages that are sent to the topic during the move', async () => {
    const ids = await fillTopic('busy', 1_500);
    const form = { topic: 'less busy', propagate_mode: 'change_all', send_notification_to_new_thread: false };
    const sent: number[] = [];
    let isMoving = true;
    const moving = move(hamlet, ids[0] ?? 0, form).finally(() => (isMoving = false));
    while (isMoving) sent.push(await send(cordelia, { topic: 'busy' }));
    expect(await moving).toMatchObject({ result: 'success' });
    const moved = new Set((await read({ channel: 'Verona', topic: 'less busy' })).ids);
    expect(ids.every((id) => moved.has(id))).toBe(true);
    const left = (await read({ channel: 'Verona', topic: 'busy' })).ids;
    expect([...moved, ...left].toSorted((a, b) => a - b)).toEqual([...ids, ...sent]);
  });

  /** Stores an unfinished move of a topic, like the move of a process that crashed a minute ago. */
  async function abandonMove(
    from: Topic & { readonly messageId: number; readonly channelId: number },
    to: string,
    failures = 0,
  ) {
    await query(
      `INSERT INTO message_moves (realm_id, actor_id, message_id, from_channel_id, from_topic_key, from_topic,
         to_channel_id, to_topic_key, to_topic, propagate_mode, tells_old_thread, tells_new_thread, edited_at,
         last_message_id, moved_count, advanced_at, failures)
       SELECT realm_id, $1, $2, $3, $4, $4, $3, $5, $5, 'change_all', false, true, now(), 0, 0,
         now() - interval '1 minute', $6 FROM users WHERE id = $1`,
      [hamlet.id, from.messageId, from.channelId, from.topic, to, failures],
    );
  }

  /**
   * Returns the action that runs stored moves of messages, with a clock that is one day ahead. With this clock, the
   * test skips the long delay after several failures of a move.
   */
  function movesOfTomorrow(): RunStoredMoves {
    const { database, renderer, clock, eventLog, config, realmContents, subscribers } = chat.runtime;
    return new RunStoredMoves(
      database,
      renderer,
      { ...clock, now: () => Date.now() + 86_400_000 },
      new ChatEventWriter(eventLog, config),
      new ClientProgramIdCache(database, config),
      realmContents,
      new MessageReaders(subscribers),
    );
  }

  it('lets another process complete the move when its process dies', async () => {
    const ids = await fillTopic('orphaned', 1_200);
    const from = { channel: 'Verona', topic: 'orphaned', messageId: ids[0] ?? 0, channelId: await channelId('Verona') };
    await abandonMove(from, 'adopted');
    const moved = async () => (await read({ channel: 'Verona', topic: 'adopted' })).ids;
    await expect.poll(movesUnderWay, { timeout: 30_000 }).toEqual([]);
    expect(await moved()).toEqual(ids);
  });

  it('lets another process complete the move even if an earlier move fails', async () => {
    const ids = await fillTopic('behind', 600);
    const from = { channel: 'Verona', topic: 'behind', messageId: ids[0] ?? 0, channelId: await channelId('Verona') };
    await abandonMove({ ...from, topic: 'failing', channelId: 0 }, 'nowhere', 6);
    await abandonMove(from, 'ahead', 6);
    const finishing = movesOfTomorrow().finishAbandonedMoves(AbortSignal.timeout(30_000));
    await expect(finishing).rejects.toThrow('failed 7 times; 0 messages were moved: Error: The channel of a move');
    expect((await read({ channel: 'Verona', topic: 'ahead' })).ids).toEqual(ids);
    const left = await query('DELETE FROM message_moves RETURNING from_topic, failures');
    expect(left.rows).toEqual([{ from_topic: 'failing', failures: 7 }]);
  });

  it('moves a topic again after an earlier move was abandoned because of repeated failures', async () => {
    const ids = await fillTopic('stuck', 20);
    const from = { channel: 'Verona', topic: 'stuck', messageId: ids[0] ?? 0, channelId: await channelId('Verona') };
    await abandonMove(from, 'never there', 9);
    await query('UPDATE message_moves SET to_channel_id = 0');
    const finishing = movesOfTomorrow().finishAbandonedMoves(AbortSignal.timeout(30_000));
    await expect(finishing).rejects.toThrow('was abandoned after 10 failures');
    expect(await movesUnderWay()).toEqual([]);
    const form = { topic: 'free again', propagate_mode: 'change_all' };
    expect(await move(hamlet, ids[0] ?? 0, form)).toMatchObject({ result: 'success' });
    expect((await read({ channel: 'Verona', topic: 'free again' })).ids).toEqual(ids);
  });

  it('emits the oldest messages of both channels when a move is abandoned', async () => {
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: JSON.stringify([{ name: 'half moved' }]) },
    });
    const from = { channel: 'half moved', topic: 'half', channelId: await channelId('half moved') };
    const [moved = 0, ...left] = await fillTopic(from.topic, 20, from.channel);
    await abandonMove({ ...from, messageId: moved }, 'never there', 9);
    // Some messages have been moved already, and the target channel does not exist any more.
    await query('UPDATE message_moves SET to_channel_id = 0, moved_count = 1, last_message_id = $1', [moved]);
    await query(
      'DELETE FROM messages m USING recipients r WHERE r.id = m.recipient_id AND r.channel_id = $1 AND m.id < $2',
      [from.channelId, left[0]],
    );
    const queue = await openTestEventQueue(chat, hamlet, ['stream']);
    const finishing = movesOfTomorrow().finishAbandonedMoves(AbortSignal.timeout(30_000));
    await expect(finishing).rejects.toThrow('was abandoned after 10 failures');
    const events = (await queue.read()).filter(({ property }) => property === 'first_message_id');
    expect(events).toMatchObject([{ stream_id: from.channelId, value: left[0] }]);
  });

  it('responds MOVE_MESSAGES_TIME_LIMIT_EXCEEDED for a topic with messages beyond the time limit', async () => {
    const ids = await fillTopic('aged', 1_200);
    await query("UPDATE messages SET date_sent = now() - interval '8 days' WHERE id = ANY($1)", [ids.slice(0, 700)]);
    const form = { topic: 'aged more', propagate_mode: 'change_all' };
    expect(await move(hamlet, ids[900] ?? 0, form)).toMatchObject({
      code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      first_message_id_allowed_to_move: ids[700],
      total_messages_in_topic: ids.length,
      total_messages_allowed_to_move: ids.length - 700,
    });
    expect((await read({ channel: 'Verona', topic: 'aged' })).ids).toEqual(ids);
  });
});

describe('isFirstMovedMessageBefore', () => {
  it('reads only the first message of a topic', async () => {
    const [id = 0] = await fillTopic('young', 1_200);
    await query('ANALYZE recipients, topics, messages');
    const { rows } = await query('SELECT realm_id, recipient_id FROM messages WHERE id = $1', [id]);
    const movable = {
      mode: 'change_all' as const,
      id,
      recipientId: Number(rows[0]?.['recipient_id']),
      topicKey: 'young',
      after: 0,
    };
    const actor = { id: hamlet.id, realmId: Number(rows[0]?.['realm_id']), role: userRoleNumbers.member };
    await chat.runtime.database.inTransaction(async (tx) => {
      const recording = new RecordingTx(tx);
      expect(await isFirstMovedMessageBefore(recording, actor, movable, new Date(0))).toBe(false);
      expect(await isFirstMovedMessageBefore(recording, actor, movable, new Date(Date.now() + 60_000))).toBe(true);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('messages')).toBeLessThanOrEqual(2);
    });
  });
});

describe('markMovedMessagesRead', () => {
  it('finds recipients by the index of message ids, and not by the index of all unread rows', async () => {
    const id = await send(hamlet, { to: 'Verona', topic: 'unread' });
    const unread = async () =>
      (await query('SELECT FROM user_messages WHERE message_id = $1 AND flags & 1 = 0', [id])).rowCount;
    expect(await unread()).toBeGreaterThan(0);
    await query('ANALYZE user_messages, subscriptions');
    await chat.runtime.database.inTransaction(async (tx) => {
      // The tables of the test are too small for an index otherwise.
      await tx.query('SET LOCAL enable_seqscan = off');
      const recording = new RecordingTx(tx);
      await markMovedMessagesRead(recording, [id], 0);
      const { indexes } = await measurePlanCost(tx, recording.statements[0]!);
      expect(indexes).toContain('user_messages_message_id_idx');
    });
    expect(await unread()).toBe(0);
  });
});

describe('listUsersLosingAccess', () => {
  it('reads the users who may subscribe to the new channel once, including members of subgroups', async () => {
    const rollback = new Error('rolled back');
    const listing = chat.runtime.database.inTransaction(async (tx) => {
      const { rows: people } = await tx.query<{ id: number }>(
        `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
         SELECT min(r.id), 'reader' || n || '@example.com', 'reader' || n || '@example.com', 'Reader ' || n, 400
         FROM realms r, generate_series(1, 1000) n GROUP BY n RETURNING id`,
      );
      const receivers = people.map(({ id }) => id);
      const [member = 0] = receivers;
      await tx.query(
        `INSERT INTO user_group_members (group_id, user_id) SELECT id, $1 FROM user_groups WHERE name = 'role:moderators'`,
        [member],
      );
      const { rows } = await tx.query<{ id: number }>(
        `UPDATE channels c SET is_private = true, history_public_to_subscribers = true, can_subscribe_group_id = g.id,
           can_add_subscribers_group_id = g.id
         FROM user_groups g WHERE c.name = 'Verona' AND g.name = 'role:members' RETURNING c.id`,
      );
      await tx.query('ANALYZE users, user_group_members, user_group_subgroups, subscriptions, channels');
      const recording = new RecordingTx(tx);
      const lost = await listUsersLosingAccess(recording, rows[0]!.id, { receivers, readers: [hamlet.id] });
      expect(lost).toEqual(new Set(receivers.filter((id) => id !== member)));
      const { buffers } = await measurePlanCost(tx, recording.statements[0]!);
      expect(buffers).toBeLessThan(500);
      throw rollback;
    });
    await expect(listing).rejects.toBe(rollback);
  });
});

describe('findEmptyTopicRange', () => {
  it('returns a range of ids without messages, until an older message is moved to the topic', async () => {
    const [older = 0] = await fillTopic('moved in', 0);
    const [first = 0] = await fillTopic('without older ones', 2);
    const channel = await channelId('Verona');
    const { database } = chat.runtime;
    const find = (to: number) => findEmptyTopicRange(database, channel, 'without older ones', { from: 0, to });
    expect(await find(first)).toBeNull();
    const range = (await find(first - 1))!;
    expect(await database.inTransaction((tx) => isTopicStillEmpty(tx, range))).toBe(true);
    const form = { topic: 'without older ones', send_notification_to_new_thread: false };
    expect(await move(hamlet, older, form)).toMatchObject({ result: 'success' });
    expect(await database.inTransaction((tx) => isTopicStillEmpty(tx, range))).toBe(false);
    expect(await find(first - 1)).toBeNull();
  });
});
