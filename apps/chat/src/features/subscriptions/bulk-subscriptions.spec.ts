import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markMessagesReadAfterLeaving } from './subscriptions.repository.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';

const crowd = 5000;

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let crowdIds: number[];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ SLOW_QUERY_MS: '0' });
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
     SELECT 1, 'crowd' || n || '@example.com', 'crowd' || n || '@example.com', 'Crowd ' || n, 400
     FROM generate_series(1, $1::int) n RETURNING id`,
    [crowd],
  );
  crowdIds = rows.map(({ id }) => id);
}, 60_000);
afterAll(() => cluster.stop());

const path = '/api/v1/users/me/subscriptions';

function statements(requestId: unknown): string[] {
  return cluster.log
    .map((line): { requestId?: string; sql?: string } => JSON.parse(line))
    .filter((line) => line.requestId === requestId && line.sql !== undefined)
    .map(({ sql }) => sql ?? '');
}

async function change(verb: 'post' | 'delete', names: string[], principals: number[]) {
  const subscriptions = JSON.stringify(verb === 'post' ? names.map((name) => ({ name })) : names);
  const form = { subscriptions, principals: JSON.stringify(principals) };
  const { status, headers } = await iago.client[verb](path, { form });
  expect(status).toBe(200);
  return statements(headers['x-request-id']).length;
}

describe('POST /users/me/subscriptions with thousands of users', () => {
  it('runs as many SQL statements as for one user, and emits one event of each type', { timeout: 60_000 }, async () => {
    const few = await change('post', ['crowded one', 'crowded two'], [iago.id]);
    const fewLeft = await change('delete', ['crowded one', 'crowded two'], [iago.id]);
    const queue = await openTestEventQueue(chat, hamlet, ['subscription']);
    const many = await change('post', ['crowded one', 'crowded two'], crowdIds);
    expect(many).toBeLessThanOrEqual(few);
    expect(many).toBeLessThanOrEqual(20);
    const left = await change('delete', ['crowded one', 'crowded two'], crowdIds);
    expect(left).toBeLessThanOrEqual(fewLeft);
    const events = await queue.read();
    expect(events.map(({ op }) => op)).toEqual(['peer_add', 'peer_remove']);
    expect(events[0]).toMatchObject({ stream_ids: [expect.any(Number), expect.any(Number)], user_ids: crowdIds });
  });
});

describe('markMessagesReadAfterLeaving', () => {
  const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

  /**
   * Sends messages of the user Hamlet to a channel, and stores the messages as unread for other users.
   *
   * @returns the id of the channel
   */
  async function receive(name: string, messages: number, userIds: readonly number[]): Promise<number> {
    await change('post', [name], [hamlet.id]);
    for (let count = 0; count < messages; count += 1) {
      const form = { type: 'channel', to: name, topic: 'unread', content: 'hello' };
      expect((await hamlet.client.post('/api/v1/messages', { form })).status).toBe(200);
    }
    const { rows } = await query(
      `WITH received AS (INSERT INTO user_messages (user_id, message_id)
         SELECT reader.id, m.id FROM channels c JOIN recipients r ON r.channel_id = c.id
         JOIN messages m ON m.recipient_id = r.id AND m.sender_id = $2, unnest($3::int[]) AS reader(id) WHERE c.name = $1)
       SELECT id FROM channels WHERE name = $1`,
      [name, hamlet.id, userIds],
    );
    return Number(rows[0]?.['id']);
  }

  it(
    'reads only message rows of the channel that users leave, regardless of other unread messages',
    { timeout: 60_000 },
    async () => {
      const some = crowdIds.slice(0, 500);
      await receive('read elsewhere', 20, some);
      const channelId = await receive('left by many', 3, some);
      await query('ANALYZE user_messages, messages');
      const gone = some.map((id) => ({ user_id: id, channel_id: channelId }));
      const rollback = new Error('rolled back');
      const cost = chat.runtime.database.inTransaction(async (tx) => {
        const recording = new RecordingTx(tx);
        await tx.query('SAVEPOINT unread');
        await markMessagesReadAfterLeaving(recording, gone);
        await tx.query('ROLLBACK TO unread');
        const { touched } = await measurePlanCost(tx, recording.statements.at(-1)!);
        // Each row is found, locked and updated once.
        expect(touched.get('user_messages')).toBeLessThanOrEqual(4 * 3 * some.length);
        throw rollback;
      });
      await expect(cost).rejects.toBe(rollback);
    },
  );

  it('marks messages of the channels that each user left', async () => {
    const [first = 0, second = 0] = crowdIds;
    const one = await receive('left by one', 2, [first, second]);
    const other = await receive('left by the other', 2, [first, second]);
    const gone = [
      { user_id: first, channel_id: one },
      { user_id: second, channel_id: other },
    ];
    await chat.runtime.database.inTransaction((tx) => markMessagesReadAfterLeaving(tx, gone));
    const { rows } = await query(
      `SELECT um.user_id, r.channel_id FROM user_messages um JOIN messages m ON m.id = um.message_id
       JOIN recipients r ON r.id = m.recipient_id WHERE um.flags & 1 = 1 AND r.channel_id = ANY($1)
       GROUP BY um.user_id, r.channel_id ORDER BY um.user_id`,
      [[one, other]],
    );
    expect(rows).toEqual(gone);
  });
});

describe('POST and DELETE /users/me/subscriptions concurrently', () => {
  it('commit consistent subscriber counts, and emit events in the order of commits', { timeout: 60_000 }, async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['subscription']);
    const some = crowdIds.slice(0, 10);
    await change('post', ['contended'], [iago.id]);
    await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        change(index % 3 === 0 ? 'delete' : 'post', ['contended'], some.slice(index % 5, (index % 5) + 5)),
      ),
    );
    const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'contended' },
    });
    const [shown, members] = await Promise.all([
      iago.client.get<{ stream: { subscriber_count: number } }>(`/api/v1/streams/${body.stream_id}`),
      iago.client.get<{ subscribers: number[] }>(`/api/v1/streams/${body.stream_id}/members`),
    ]);
    const byEvents = new Set<number>();
    for (const { op, user_ids: ids } of await queue.read()) {
      for (const id of Array.isArray(ids) ? ids : []) {
        expect(byEvents.has(id)).toBe(op === 'peer_remove');
        if (op === 'peer_add') byEvents.add(id);
        else byEvents.delete(id);
      }
    }
    const subscribers = members.body.subscribers;
    expect([...byEvents].toSorted((a, b) => a - b)).toEqual(subscribers);
    expect(shown.body.stream.subscriber_count).toBe(subscribers.length);
  });
});
