import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

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

interface Body {
  readonly msg: string;
}

/** Sends many messages to the user Hamlet in one channel, so that concurrent changes of the message flags overlap. */
async function sendMany(topic: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const { body } = await iago.client.post<{ id: number }>('/api/v1/messages', {
      form: { type: 'channel', to: 'Verona', topic, content: `message ${sent}` },
    });
    ids.push(body.id);
  }
  return ids;
}

const post = (path: string, form: Record<string, string>) => hamlet.client.post<Body>(`/api/v1/${path}`, { form });

const mark = (ids: readonly number[], op: string, flag: string) =>
  post('messages/flags', { messages: JSON.stringify(ids), op, flag });

const narrow = (op: string, flag: string, numBefore: string, numAfter: string) =>
  post('messages/flags/narrow', {
    anchor: numBefore === '0' ? 'oldest' : 'newest',
    num_before: numBefore,
    num_after: numAfter,
    narrow: '[{"operator":"channel","operand":"Verona"}]',
    op,
    flag,
  });

const deadlocks = (): number => cluster.log.filter((line) => line.includes('deadlock detected')).length;

describe('POST /messages/flags', () => {
  it('marks the messages of one user in twelve concurrent requests without a deadlock', async () => {
    const ids = await sendMany('flags', 60);
    // Updated rows move within the table, so that their physical order differs from that of their ids.
    for (const [index, id] of ids.entries()) if (index % 3 === 0) await mark([id], 'add', 'starred');
    for (let round = 0; round < 5; round += 1) {
      const op = round % 2 === 0 ? 'add' : 'remove';
      const responses = await Promise.all([
        ...['read', 'starred', 'collapsed'].flatMap((flag) => [
          mark(ids, op, flag),
          mark(ids.toReversed(), op, flag),
          narrow(op, flag, '1000', '0'),
        ]),
        narrow(op, 'read', '0', '1000'),
        post('mark_all_as_read', {}),
        mark(ids.slice(20), 'add', 'read'),
      ]);
      expect(responses.map(({ body }) => body.msg)).toEqual(responses.map(() => ''));
    }
    expect(deadlocks()).toBe(0);
  });

  it('does not deadlock with the deletion of the topic', async () => {
    for (let round = 0; round < 3; round += 1) {
      const ids = await sendMany(`deleted ${round}`, 30);
      for (const [index, id] of ids.entries()) if (index % 3 === 0) await mark([id], 'add', 'starred');
      const channel = await chat.runtime.database.query<{ id: number }>(
        "SELECT id FROM channels WHERE name = 'Verona'",
      );
      const [deletion, ...marks] = await Promise.all([
        iago.client.post<Body>(`/api/v1/streams/${channel.rows[0]?.id}/delete_topic`, {
          form: { topic_name: `deleted ${round}` },
        }),
        mark(ids, 'add', 'starred'),
        mark(ids.toReversed(), 'add', 'collapsed'),
        narrow('add', 'collapsed', '1000', '0'),
        post('mark_all_as_read', {}),
      ]);
      expect(deletion.body.msg).toBe('');
      expect(marks.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      const { rowCount } = await chat.runtime.database.query(
        'SELECT 1 FROM user_messages um WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = um.message_id)',
      );
      expect(rowCount).toBe(0);
    }
    expect(deadlocks()).toBe(0);
  });
});
