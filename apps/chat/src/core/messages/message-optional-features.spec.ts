import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
  const { rows } = await query('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(String(name), Number(id));
});
afterAll(() => cluster.stop());

const idOf = (name: string): number => channels.get(name) ?? 0;
const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface ResponseBody {
  msg: string;
  code?: string;
}

async function post(user: DemoUser, path: string, form: Record<string, string | number> = {}): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/${path}`, { form })).body;
}

async function set(settings: Record<string, unknown>): Promise<void> {
  await query('UPDATE realms SET settings = settings || $1::jsonb', [JSON.stringify(settings)]);
}

async function setOwn(user: DemoUser, settings: Record<string, unknown>): Promise<void> {
  await query('UPDATE users SET settings = settings || $1::jsonb WHERE id = $2', [JSON.stringify(settings), user.id]);
}

describe('GET /messages/{id}/read_receipts', () => {
  const receipts = async (user: DemoUser, id: number) =>
    (await user.client.get<{ user_ids: number[]; msg: string }>(`/api/v1/messages/${id}/read_receipts`)).body;
  const read = (user: DemoUser, id: number) =>
    post(user, 'messages/flags', { op: 'add', flag: 'read', messages: JSON.stringify([id]) });

  it('lists readers who send read receipts, except the sender of the message', async () => {
    await set({ enable_read_receipts: true });
    const id = await send(hamlet, { read_by_sender: 'true' });
    expect((await receipts(iago, id)).user_ids).toEqual([]);
    await read(cordelia, id);
    await read(iago, id);
    expect((await receipts(hamlet, id)).user_ids).toEqual([iago.id, cordelia.id].toSorted((a, b) => a - b));
    await setOwn(cordelia, { send_read_receipts: false });
    expect((await receipts(hamlet, id)).user_ids).toEqual([iago.id]);
  });

  it('omits users who muted the requester or whom the requester muted', async () => {
    await set({ enable_read_receipts: true });
    await setOwn(cordelia, { send_read_receipts: true });
    const id = await send(hamlet);
    for (const user of [iago, cordelia]) await read(user, id);
    const both = [iago.id, cordelia.id].toSorted((a, b) => a - b);
    expect((await receipts(hamlet, id)).user_ids).toEqual(both);
    await post(hamlet, `users/me/muted_users/${iago.id}`);
    expect((await receipts(hamlet, id)).user_ids).toEqual([cordelia.id]);
    await post(cordelia, `users/me/muted_users/${hamlet.id}`);
    expect((await receipts(hamlet, id)).user_ids).toEqual([]);
    expect((await receipts(iago, id)).user_ids).toEqual(both);
    await hamlet.client.delete(`/api/v1/users/me/muted_users/${iago.id}`);
    await cordelia.client.delete(`/api/v1/users/me/muted_users/${hamlet.id}`);
  });

  it('responds with an error if the organization disables read receipts or the requester cannot read the message', async () => {
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    expect((await receipts(cordelia, direct)).msg).toBe('Invalid message(s)');
    await set({ enable_read_receipts: false });
    expect((await receipts(iago, direct)).msg).toBe('Read receipts are disabled in this organization.');
    expect((await receipts(cordelia, direct)).msg).toBe('Invalid message(s)');
  });
});

describe('POST /messages/render', () => {
  it('returns the rendered HTML with mentions resolved', async () => {
    const { body } = await iago.client.post<{ rendered: string }>('/api/v1/messages/render', {
      form: { content: '**b** @**King Hamlet**' },
    });
    expect(body.rendered).toContain('<strong>b</strong>');
    expect(body.rendered).toContain(`data-user-id="${hamlet.id}"`);
    const empty = await iago.client.post<{ rendered: string }>('/api/v1/messages/render', { form: { content: ' ' } });
    expect(empty.body.rendered).toBe('');
  });
});

describe('POST /submessage: polls and to-do lists', () => {
  interface Shown {
    message: { submessages: { id: number; content: string; sender_id: number; msg_type: string }[] };
  }
  const entries = async (user: DemoUser, id: number) =>
    (await user.client.get<Shown>(`/api/v1/messages/${id}`)).body.message.submessages;
  const act = (user: DemoUser, id: number, content: string) =>
    post(user, 'submessage', { message_id: id, msg_type: 'widget', content });

  it('rejects a message that is neither a poll nor a to-do list', async () => {
    const queue = await openQueue(chat, iago, ['message']);
    const poll = await send(hamlet, { content: '/poll Lunch?\nsoup\n- bread' });
    const todo = await send(hamlet, { content: '/todo\nbuy soup: two\nbread' });
    const [made] = await entries(iago, poll);
    expect(made).toMatchObject({ sender_id: hamlet.id, msg_type: 'widget' });
    expect(JSON.parse(made?.content ?? '')).toEqual({
      widget_type: 'poll',
      extra_data: { question: 'Lunch?', options: ['soup', 'bread'] },
    });
    expect(JSON.parse((await entries(iago, todo))[0]?.content ?? '')).toEqual({
      widget_type: 'todo',
      extra_data: {
        task_list_title: '',
        tasks: [
          { task: 'buy soup', desc: 'two' },
          { task: 'bread', desc: '' },
        ],
      },
    });
    expect(await queue.read()).toMatchObject([{ message: { submessages: [made] } }, { message: { id: todo } }]);
  });

  it('stores votes and other entries of users, and emits each entry to all recipients of the message', async () => {
    const id = await send(hamlet, { content: '/poll Lunch?' });
    const queue = await openQueue(chat, iago, ['submessage']);
    const vote = JSON.stringify({ type: 'vote', key: '1,0', vote: 1 });
    expect((await act(cordelia, id, vote)).msg).toBe('');
    const [, voted] = await entries(iago, id);
    expect(voted).toMatchObject({ sender_id: cordelia.id, content: vote });
    expect(await queue.read()).toEqual([
      {
        type: 'submessage',
        message_id: id,
        submessage_id: voted?.id,
        sender_id: cordelia.id,
        msg_type: 'widget',
        content: vote,
      },
    ]);
  });

  it('rejects entries for plain messages, questions by users other than the sender, and edits of the message', async () => {
    const [plain, poll] = [await send(hamlet), await send(hamlet, { content: '/poll Lunch?' })];
    expect((await act(cordelia, plain, '{}')).msg).toBe('You cannot attach a submessage to this message.');
    expect((await act(cordelia, poll, JSON.stringify({ type: 'question', question: 'x' }))).msg).toBe(
      'Only the sender of a widget may change what it asks.',
    );
    expect((await act(hamlet, poll, 'no json')).msg).toBe('Invalid json for submessage');
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]), content: '/poll x' });
    expect((await act(cordelia, direct, '{}')).msg).toBe('Invalid message(s)');
    const { body } = await hamlet.client.patch<ResponseBody>(`/api/v1/messages/${poll}`, { form: { content: 'x' } });
    expect(body.msg).toBe('Widgets cannot be edited.');
    await hamlet.client.delete(`/api/v1/messages/${poll}`);
    expect((await query('SELECT 1 FROM submessages WHERE message_id = $1', [poll])).rows).toEqual([]);
  });
});

describe('POST /messages/{id}/typing', () => {
  it('notifies channel recipients whose settings enable typing notifications, on this path and on the older path', async () => {
    const id = await send(hamlet, { topic: 'typing' });
    await setOwn(cordelia, { receives_typing_notifications: false });
    const [his, hers] = await Promise.all([
      openQueue(chat, iago, ['typing_edit_message']),
      openQueue(chat, cordelia, ['typing_edit_message']),
    ]);
    expect((await post(hamlet, `messages/${id}/typing`, { op: 'start' })).msg).toBe('');
    expect((await post(hamlet, 'message_edit_typing', { message_id: id, op: 'stop' })).msg).toBe('');
    const event = {
      type: 'typing_edit_message',
      sender_id: hamlet.id,
      message_id: id,
      recipient: { type: 'channel', channel_id: idOf('Verona'), topic: 'typing' },
    };
    expect(await his.read()).toEqual([
      { ...event, op: 'start' },
      { ...event, op: 'stop' },
    ]);
    expect(await hers.read()).toEqual([]);
    await setOwn(hamlet, { send_stream_typing_notifications: false });
    await post(hamlet, `messages/${id}/typing`, { op: 'start' });
    expect(await his.read()).toEqual([]);
  });

  it('notifies the participants of a direct message, and rejects users other than the sender of the message', async () => {
    const id = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    const queue = await openQueue(chat, iago, ['typing_edit_message']);
    await post(hamlet, `messages/${id}/typing`, { op: 'start' });
    const participants = [hamlet.id, iago.id].toSorted((a, b) => a - b);
    expect(await queue.read()).toMatchObject([{ recipient: { type: 'direct', user_ids: participants } }]);
    expect((await post(iago, `messages/${id}/typing`, { op: 'start' })).msg).toBe(
      "You don't have permission to edit this message",
    );
    expect((await post(cordelia, `messages/${id}/typing`, { op: 'start' })).msg).toBe('Invalid message(s)');
  });
});

describe('POST /messages/{id}/report', () => {
  it('posts the message in the channel for moderation requests', async () => {
    await query('UPDATE realms SET moderation_request_channel_id = $1', [idOf('core team')]);
    const id = await send(cordelia, { content: 'rude ``` words', topic: 'quarrel' });
    const queue = await openQueue(chat, iago, ['message'], { apply_markdown: 'false' });
    const form = { report_type: 'other', description: 'He knows why.' };
    expect((await post(hamlet, `messages/${id}/report`, form)).msg).toBe('');
    const [event] = await queue.read();
    expect(event).toMatchObject({
      message: { stream_id: idOf('core team'), subject: expect.stringContaining('Cordelia') },
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
