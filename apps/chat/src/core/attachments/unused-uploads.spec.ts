import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEventWriter } from '../../events/chat-events.js';
import { removeUnusedAttachments } from './index.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { upload } from '../../../test/upload-forms.js';

interface Attachments {
  attachments: { id: number; path_id: string }[];
  upload_space_used: number;
}

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  [chat, other] = [await cluster.start(), await cluster.start()];
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

async function attachments(user: DemoUser): Promise<Attachments> {
  return (await user.client.get<Attachments>('/api/v1/attachments')).body;
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(chat.runtime.config.UPLOADS_DIR, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('removeUnusedAttachments', () => {
  const remove = () => {
    const { database, files, eventLog, config } = chat.runtime;
    const ledger = new StoredFileDeletionSchedule(database, files.storage);
    const events = new ChatEventWriter(eventLog, config);
    return removeUnusedAttachments({ database, events, files: ledger, days: 35 }, new AbortController().signal);
  };
  const age = (urls: string[], days: number) =>
    chat.runtime.database.query(
      'UPDATE attachments SET created_at = now() - make_interval(days => $2) WHERE path_id = ANY($1)',
      [urls.map((url) => url.replace('/user_uploads/', '')), days],
    );
  const add = async (content: string) => (await upload(hamlet.client, { name: 'unused.txt', content })).url;
  const names = async () => (await attachments(hamlet)).attachments.map(({ path_id: path }) => `/user_uploads/${path}`);

  it('deletes old files that no content links, and emits a deletion event for each file', async () => {
    const [unused, recent, linked, drafted, saved, scheduled] = await Promise.all(
      ['1', '2', '3', '4', '5', '6'].map(add),
    );
    const { url: encoded } = await upload(hamlet.client, { name: 'für später.txt', content: '7' });
    expect(encodeURI(encoded)).not.toBe(encoded);
    const draft = { type: '', to: [], topic: '', content: `[a](${drafted})` };
    await hamlet.client.post('/api/v1/messages', {
      form: { type: 'direct', to: JSON.stringify([hamlet.id]), content: `[a](${linked})` },
    });
    await hamlet.client.post('/api/v1/drafts', { form: { drafts: JSON.stringify([draft]) } });
    await hamlet.client.post('/api/v1/saved_snippets', { form: { title: 'a', content: `[a](${saved})` } });
    await hamlet.client.post('/api/v1/scheduled_messages', {
      form: {
        type: 'direct',
        to: JSON.stringify([hamlet.id]),
        content: `[a](${scheduled}) [b](${encodeURI(encoded)})`,
        scheduled_delivery_timestamp: '4000000000',
      },
    });
    await age([unused!, linked!, drafted!, saved!, scheduled!, encoded], 36);
    await age([recent!], 34);
    const queue = await openTestEventQueue(chat, hamlet, ['attachment']);
    const before = await attachments(hamlet);
    const id = before.attachments.find(({ path_id: path }) => unused!.endsWith(path))!.id;
    const fileCount = (await storedFiles()).length;
    await remove();
    expect(await names()).not.toContain(unused);
    expect(await names()).toEqual(expect.arrayContaining([recent, linked, drafted, saved, scheduled, encoded]));
    expect(await storedFiles()).toHaveLength(fileCount - 1);
    expect(await queue.read()).toEqual([
      { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used: before.upload_space_used - 1 },
    ]);
  });

  it('retains a file to which a new message links while the job waits for the row lock', async () => {
    const url = await add('wanted');
    await age([url], 36);
    const path = url.replace('/user_uploads/', '');
    let removal: Promise<void> | undefined;
    await other.runtime.database.inTransaction(async (tx) => {
      await tx.query('SELECT FROM attachments WHERE path_id = $1 FOR KEY SHARE', [path]);
      removal = remove();
      await delay(200);
      await tx.query(
        `INSERT INTO attachment_messages (attachment_id, message_id)
         SELECT a.id, (SELECT max(message_id) FROM user_messages WHERE user_id = $2) FROM attachments a WHERE path_id = $1`,
        [path, hamlet.id],
      );
    });
    await removal;
    expect(await names()).toContain(url);
  });

  it('lets users send a message that links a file while the file is being removed', async () => {
    const url = await add('gone');
    const path = url.replace('/user_uploads/', '');
    let sent: Promise<{ status: number }> | undefined;
    await other.runtime.database.inTransaction(async (tx) => {
      await tx.query('DELETE FROM attachments WHERE path_id = $1', [path]);
      const form = { type: 'direct', to: JSON.stringify([hamlet.id]), content: `[a](${url})` };
      sent = hamlet.client.post('/api/v1/messages', { form });
      await delay(200);
    });
    expect((await sent)?.status).toBe(200);
  });
});
