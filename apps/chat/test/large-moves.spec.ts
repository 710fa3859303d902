import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { openQueue } from './event-queue.js';
import { send } from './queue-support.js';

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

/** Sends a message and copies it, without recipients. @returns the ids of all, ascending */
async function fillTopic(topic: string, copies: number): Promise<number[]> {
  const first = await send(hamlet, { topic });
  const { rows } = await query(
    `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic, topic_key, content, rendered_content,
       rendered_version)
     SELECT realm_id, sender_id, recipient_id, client_id, topic, topic_key, content, rendered_content, rendered_version
     FROM messages, generate_series(1, $2) WHERE id = $1 RETURNING id`,
    [first, copies],
  );
  return [first, ...rows.map(({ id }) => Number(id))];
}

describe('PATCH /messages/{id}', { timeout: 60_000 }, () => {
  it('names at most 10,000 messages in each update_message and delete_message event of a move', async () => {
    const ids = await fillTopic('large', 10_004);
    const parts = [ids.slice(0, 10_000), ids.slice(10_000)];
    const bulk = { client_capabilities: JSON.stringify({ bulk_message_deletion: true }) };
    const [reader, other] = await Promise.all([
      openQueue(chat, hamlet, ['update_message']),
      openQueue(chat, cordelia, ['delete_message'], bulk),
    ]);
    const { rows } = await query("SELECT id FROM channels WHERE name = 'core team'");
    const form = { stream_id: Number(rows[0]?.['id']), propagate_mode: 'change_all' };
    const { body } = await hamlet.client.patch(`/api/v1/messages/${ids[1]}`, { form });
    expect(body).toMatchObject({ result: 'success' });
    const common = { message_id: ids[1], new_stream_id: form.stream_id, orig_subject: 'large' };
    expect(await reader.read()).toMatchObject(parts.map((part) => ({ ...common, message_ids: part })));
    expect(await other.read()).toMatchObject(parts.map((part) => ({ topic: 'large', message_ids: part })));
  });
});
