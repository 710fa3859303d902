import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';
import { toDocumentedPath, picture, upload } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

async function statusFor(user: DemoUser, url: string): Promise<number> {
  return (await user.client.get(toDocumentedPath(url))).status;
}

async function newFile(name = 'notes.txt'): Promise<string> {
  return (await upload(hamlet.client, { name, content: 'To be' })).url;
}

function sendDirectMessage(sender: DemoUser, receiver: DemoUser, content: string): Promise<number> {
  return send(sender, { type: 'direct', to: JSON.stringify([receiver.id]), content });
}

async function edit(user: DemoUser, id: number, content: string) {
  const { body } = await user.client.patch<{ detached_uploads: { path_id: string }[] }>(`/api/v1/messages/${id}`, {
    form: { content },
  });
  return body.detached_uploads.map(({ path_id: path }) => `/user_uploads/${path}`);
}

interface Shown {
  message: { content: string };
}

async function html(user: DemoUser, id: number): Promise<string> {
  return (await user.client.get<Shown>(`/api/v1/messages/${id}`)).body.message.content;
}

describe('POST /messages with a link to an uploaded file', () => {
  it('gives access to the file only to readers of the message', async () => {
    const url = await newFile();
    expect(await statusFor(iago, url)).toBe(404);
    const queue = await openTestEventQueue(chat, hamlet, ['attachment']);
    const id = await sendDirectMessage(hamlet, iago, `[notes](${url})`);
    expect([await statusFor(iago, url), await statusFor(cordelia, url)]).toEqual([200, 404]);
    const [told, ...more] = await queue.read();
    expect(more).toEqual([]);
    expect(told).toMatchObject({
      type: 'attachment',
      op: 'update',
      attachment: { path_id: url.replace('/user_uploads/', ''), messages: [{ id }], message_ids: [id] },
    });
  });

  it('gives no access to a file that the sender of the message cannot read', async () => {
    const url = await newFile();
    await sendDirectMessage(cordelia, iago, `[guessed](${url})`);
    expect([await statusFor(cordelia, url), await statusFor(iago, url)]).toEqual([404, 404]);
  });

  it('gives access to further users when a recipient of the message shares the link with them', async () => {
    const url = await newFile();
    await sendDirectMessage(hamlet, iago, `[notes](${url})`);
    await sendDirectMessage(iago, cordelia, `[notes](${url})`);
    expect(await statusFor(cordelia, url)).toBe(200);
  });

  it('gives access to a file that a message links by a percent-encoded URL', async () => {
    const url = await newFile('été.txt');
    await sendDirectMessage(hamlet, iago, `[été](${encodeURI(url)})`);
    expect(await statusFor(iago, url)).toBe(200);
  });

  it('makes the message match has:attachment', async () => {
    const id = await sendDirectMessage(hamlet, iago, `[notes](${await newFile()})`);
    const narrow = JSON.stringify([{ operator: 'has', operand: 'attachment' }]);
    const { body } = await iago.client.get<{ messages: { id: number }[] }>('/api/v1/messages', {
      query: { anchor: 'newest', num_before: 1, num_after: 0, narrow },
    });
    expect(body.messages.map((message) => message.id)).toEqual([id]);
  });

  it('shows an image as a thumbnail with the original dimensions', async () => {
    const { url } = await upload(hamlet.client, { name: 'p.png', type: 'image/png', content: await picture(16, 9) });
    const shown = await html(iago, await sendDirectMessage(hamlet, iago, `[p.png](${url})`));
    expect(shown).toContain('data-original-dimensions="16x9"');
    expect(shown).toContain(`src="${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp"`);
    const hidden = await html(iago, await sendDirectMessage(cordelia, iago, `[p.png](${url})`));
    expect(hidden).not.toContain('thumbnail');
  });

  it('updates the linked files when the message is edited', async () => {
    const [first, second] = [await newFile(), await newFile()];
    const id = await sendDirectMessage(hamlet, iago, `[a](${first})`);
    expect(await edit(hamlet, id, `[b](${second})`)).toEqual([first]);
    expect([await statusFor(iago, first), await statusFor(iago, second)]).toEqual([404, 200]);
    expect(await edit(hamlet, id, `still [b](${second})`)).toEqual([]);
  });

  it('gives no access to the file after the message is deleted', async () => {
    const url = await newFile();
    const id = await sendDirectMessage(hamlet, iago, `[notes](${url})`);
    expect((await iago.client.delete(`/api/v1/messages/${id}`)).status).toBe(200);
    expect([await statusFor(iago, url), await statusFor(hamlet, url)]).toEqual([404, 200]);
  });
});
