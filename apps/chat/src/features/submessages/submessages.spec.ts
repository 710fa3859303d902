import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

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

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface ResponseBody {
  msg: string;
}

async function post(user: DemoUser, path: string, form: Record<string, string | number> = {}): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/${path}`, { form })).body;
}

describe('POST /submessage: polls and to-do lists', () => {
  interface Shown {
    message: { submessages: { id: number; content: string; sender_id: number; msg_type: string }[] };
  }
  const entries = async (user: DemoUser, id: number) =>
    (await user.client.get<Shown>(`/api/v1/messages/${id}`)).body.message.submessages;
  const act = (user: DemoUser, id: number, content: string) =>
    post(user, 'submessage', { message_id: id, msg_type: 'widget', content });

  it('shows the widget of a message that begins with /poll or /todo', async () => {
    const queue = await openTestEventQueue(chat, iago, ['message']);
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

  it('stores entries such as votes and emits each entry to all recipients of the message', async () => {
    const id = await send(hamlet, { content: '/poll Lunch?' });
    const queue = await openTestEventQueue(chat, iago, ['submessage']);
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
