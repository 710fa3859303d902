import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let moderationChannelId: number;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
  const { rows } = await query("SELECT id FROM channels WHERE name = 'core team'");
  moderationChannelId = Number(rows[0]?.['id']);
});
afterAll(() => cluster.stop());

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface ResponseBody {
  msg: string;
}

async function post(user: DemoUser, path: string, form: Record<string, string | number> = {}): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/${path}`, { form })).body;
}

describe('POST /messages/{id}/report', () => {
  it('posts the message in the channel for moderation requests', async () => {
    await query('UPDATE realms SET moderation_request_channel_id = $1', [moderationChannelId]);
    const id = await send(cordelia, { content: 'rude ``` words', topic: 'quarrel' });
    const queue = await openTestEventQueue(chat, iago, ['message'], { apply_markdown: 'false' });
    const form = { report_type: 'other', description: 'He knows why.' };
    expect((await post(hamlet, `messages/${id}/report`, form)).msg).toBe('');
    const [event] = await queue.read();
    expect(event).toMatchObject({
      message: { stream_id: moderationChannelId, subject: expect.stringContaining('Cordelia') },
    });
    const text = JSON.stringify(event);
    for (const part of ['rude ``` words', 'He knows why.', 'King Hamlet', '#**Verona>quarrel**', 'Other reason']) {
      expect(text).toContain(part);
    }
  });

  it('rejects an unknown type, a missing description, unreadable messages and a missing report channel', async () => {
    const id = await send(cordelia);
    expect((await post(hamlet, `messages/${id}/report`, { report_type: 'x' })).msg).toBe('Invalid report_type');
    expect((await post(hamlet, `messages/${id}/report`, { report_type: 'other' })).msg).toBe(
      'A description is required.',
    );
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    expect((await post(cordelia, `messages/${direct}/report`, { report_type: 'spam' })).msg).toBe('Invalid message(s)');
    await query('UPDATE realms SET moderation_request_channel_id = NULL');
    expect((await post(hamlet, `messages/${id}/report`, { report_type: 'spam' })).msg).toBe(
      'This organization has no channel for reports.',
    );
  });
});
