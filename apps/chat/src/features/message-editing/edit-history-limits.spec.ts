import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

interface Edit {
  timestamp: number;
  prev_topic?: string;
}

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let id: number;

const query = (sql: string, params: unknown[]) => chat.runtime.database.query(sql, params);

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
  const form = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'first' };
  id = (await hamlet.client.post<{ id: number }>('/api/v1/messages', { form })).body.id;
  // Newest first; the oldest entry is a move.
  await query(
    `UPDATE messages SET last_edit_at = now(), edit_history = (
       SELECT jsonb_agg(jsonb_build_object('user_id', $2::int, 'timestamp', n)
         || CASE WHEN n = 1 THEN '{"topic": "b", "prev_topic": "a"}'
           ELSE '{"prev_content": "x", "prev_rendered_content": "<p>x</p>"}' END::jsonb ORDER BY n DESC)
       FROM generate_series(1, 1000) n) WHERE id = $1`,
    [id, hamlet.id],
  );
});
afterAll(() => cluster.stop());

const fetchHistory = async (): Promise<Edit[]> => {
  const { body } = await hamlet.client.get<{ message: { edit_history: Edit[] } }>(`/api/v1/messages/${id}`);
  return body.message.edit_history;
};

describe('GET /messages/{message_id}', () => {
  it('returns the newest 50 edits of a message, while the history endpoint returns all edits', async () => {
    expect((await fetchHistory()).map((edit) => edit.timestamp)).toEqual(
      Array.from({ length: 50 }, (_, n) => 1000 - n),
    );
    const { body } = await hamlet.client.get<{ message_history: object[] }>(`/api/v1/messages/${id}/history`);
    expect(body.message_history).toHaveLength(1001);
  });

  it('counts only moves towards the limit if the organization shows only moves', async () => {
    const setPolicy = (policy: string) =>
      query(
        "UPDATE realms SET settings = settings || jsonb_build_object('message_edit_history_visibility_policy', $1::text)",
        [policy],
      );
    await setPolicy('moves');
    expect(await fetchHistory()).toMatchObject([{ timestamp: 1, prev_topic: 'a' }]);
    await setPolicy('all');
  });
});

describe('PATCH /messages/{message_id}', () => {
  it('stores only the newest 1,000 edits', async () => {
    const form = { content: 'second' };
    expect((await hamlet.client.patch(`/api/v1/messages/${id}`, { form })).status).toBe(200);
    const { rows } = await chat.runtime.database.query<{ n: number; oldest: number }>(
      `SELECT jsonb_array_length(edit_history) AS n, (edit_history -> -1 ->> 'timestamp')::int AS oldest
       FROM messages WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ n: 1000, oldest: 2 }]);
  });
});
