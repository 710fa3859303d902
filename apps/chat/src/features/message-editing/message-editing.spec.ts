import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(name, id);
});
afterAll(() => cluster.stop());

const idOf = (name: string): number => channels.get(name) ?? 0;

interface ResponseBody {
  msg: string;
  code?: string;
}

async function edit(
  user: DemoUser,
  id: number,
  form: Record<string, string | number | boolean>,
): Promise<ResponseBody> {
  const { body } = await user.client.patch<ResponseBody>(`/api/v1/messages/${id}`, { form });
  return body;
}

interface Shown {
  message: Record<string, unknown> & { flags: string[]; subject: string; stream_id: number; content: string };
  raw_content: string;
  msg: string;
}

async function show(user: DemoUser, id: number): Promise<Shown> {
  return (await user.client.get<Shown>(`/api/v1/messages/${id}`)).body;
}

async function set(settings: Record<string, unknown>): Promise<void> {
  await chat.runtime.database.query('UPDATE realms SET settings = settings || $1::jsonb', [JSON.stringify(settings)]);
}

async function age(id: number, seconds: number): Promise<void> {
  await chat.runtime.database.query("UPDATE messages SET date_sent = now() - $2 * interval '1 second' WHERE id = $1", [
    id,
    seconds,
  ]);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('GET /messages/{id}', () => {
  it('returns a message as HTML and as Markdown', async () => {
    const id = await send(hamlet, { content: '**b**', topic: '' });
    const { message, raw_content } = await show(iago, id);
    expect({ content: message.content, raw_content, subject: message.subject }).toEqual({
      content: '<p><strong>b</strong></p>',
      raw_content: '**b**',
      subject: 'general chat',
    });
    const query = { apply_markdown: false, allow_empty_topic_name: true };
    const { body } = await iago.client.get<Shown>(`/api/v1/messages/${id}`, { query });
    expect(body.message).toMatchObject({ content: '**b**', subject: '', content_type: 'text/x-markdown' });
  });

  it('returns web-public messages without an account if spectators are allowed', async () => {
    const [open, closed] = [await send(iago, { to: 'Rome' }), await send(hamlet, {})];
    expect((await chat.client.get(`/api/v1/messages/${open}`)).status).toBe(401);
    await set({ enable_spectator_access: true });
    const { body } = await chat.client.get<Shown>(`/api/v1/messages/${open}`);
    expect(body.message).toMatchObject({ stream_id: idOf('Rome'), flags: ['read', 'historical'] });
    expect((await chat.client.get<Shown>(`/api/v1/messages/${closed}`)).body.msg).toBe('Invalid message(s)');
    await set({ enable_spectator_access: false });
  });

  it('responds for an unreadable message as for a nonexistent message', async () => {
    const secret = await send(hamlet, { to: 'core team' });
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    for (const id of [secret, direct, 999_999_999]) {
      const { status, body } = await cordelia.client.get(`/api/v1/messages/${id}`);
      expect({ status, body }).toEqual({
        status: 400,
        body: { result: 'error', code: 'BAD_REQUEST', msg: 'Invalid message(s)' },
      });
      expect((await edit(cordelia, id, { content: 'x' })).msg).toBe('Invalid message(s)');
    }
  });
});

describe('PATCH /messages/{id}: content', () => {
  it("changes the content, stores the previous content, and emits each recipient's flags", async () => {
    const id = await send(hamlet, { content: 'one' });
    const [his, hers] = await Promise.all([
      openTestEventQueue(chat, iago, ['update_message']),
      openTestEventQueue(chat, cordelia, ['update_message']),
    ]);
    expect((await edit(hamlet, id, { content: '@**Iago** two' })).msg).toBe('');
    const common = {
      type: 'update_message',
      user_id: hamlet.id,
      rendering_only: false,
      message_id: id,
      message_ids: [id],
      edit_timestamp: expect.any(Number),
      stream_id: idOf('Verona'),
      stream_name: 'Verona',
      orig_content: 'one',
      orig_rendered_content: '<p>one</p>',
      content: '@**Iago** two',
      rendered_content: expect.stringContaining('user-mention'),
      is_me_message: false,
    };
    expect(await his.read()).toEqual([{ ...common, flags: ['mentioned'] }]);
    expect(await hers.read()).toEqual([{ ...common, flags: [] }]);
    const { message, raw_content } = await show(iago, id);
    expect(raw_content).toBe('@**Iago** two');
    expect(message).toMatchObject({
      flags: ['mentioned'],
      last_edit_timestamp: expect.any(Number),
      edit_history: [{ user_id: hamlet.id, prev_content: 'one', prev_rendered_content: '<p>one</p>' }],
    });
    expect(message).not.toHaveProperty('last_moved_timestamp');
  });

  it('removes the mentioned flag from users who are no longer mentioned', async () => {
    const id = await send(hamlet, { content: "@**Iago** and @**Cordelia, Lear's daughter**" });
    await edit(hamlet, id, { content: "@**Cordelia, Lear's daughter** and @*everyone*" });
    expect((await show(iago, id)).message.flags).toEqual([]);
    expect((await show(cordelia, id)).message.flags).toEqual(['mentioned']);
  });

  it('rejects edits by users other than the sender', async () => {
    const id = await send(hamlet, {});
    expect(await edit(iago, id, { content: 'x' })).toMatchObject({
      code: 'BAD_REQUEST',
      msg: "You don't have permission to edit this message",
    });
  });

  it('rejects an edit whose prev_content_sha256 does not match', async () => {
    const id = await send(hamlet, { content: 'one' });
    expect(await edit(hamlet, id, { content: 'two', prev_content_sha256: sha256('other') })).toMatchObject({
      code: 'EXPECTATION_MISMATCH',
    });
    expect((await edit(hamlet, id, { content: 'two', prev_content_sha256: sha256('one') })).msg).toBe('');
  });

  it('accepts only one of several concurrent edits of the same content', async () => {
    const id = await send(hamlet, { content: 'one' });
    const responses = await Promise.all(
      ['two', 'three', 'four'].map((content) => edit(hamlet, id, { content, prev_content_sha256: sha256('one') })),
    );
    expect(responses.map(({ code }) => code ?? 'success').toSorted()).toEqual([
      'EXPECTATION_MISMATCH',
      'EXPECTATION_MISMATCH',
      'success',
    ]);
    expect((await show(hamlet, id)).message['edit_history']).toHaveLength(1);
  });

  it('rejects edits when the time limit has passed or editing is disabled', async () => {
    const id = await send(hamlet, {});
    await age(id, 615);
    expect((await edit(hamlet, id, { content: 'late' })).msg).toBe('');
    await age(id, 625);
    expect((await edit(hamlet, id, { content: 'later' })).msg).toBe(
      'The time limit for editing this message has passed',
    );
    await set({ message_content_edit_limit_seconds: null });
    expect((await edit(hamlet, id, { content: 'later' })).msg).toBe('');
    await set({ message_content_edit_limit_seconds: 600, allow_message_editing: false });
    expect((await edit(hamlet, id, { content: 'x' })).msg).toBe('Your organization has turned off message editing');
    await set({ allow_message_editing: true });
  });

  it('stores an empty edit as deleted content, and ignores unchanged content', async () => {
    const id = await send(hamlet, { content: 'same' });
    const queue = await openTestEventQueue(chat, iago, ['update_message']);
    expect((await edit(hamlet, id, { content: 'same' })).msg).toBe('');
    expect(await queue.read()).toEqual([]);
    expect((await show(hamlet, id)).message).not.toHaveProperty('edit_history');
    await edit(hamlet, id, { content: '  ' });
    expect((await show(hamlet, id)).raw_content).toBe('(deleted)');
  });

  it.each([
    ['nothing', {}, 'Nothing to change'],
    ['a mode alone', { content: 'x', propagate_mode: 'change_all' }, 'Invalid propagate_mode without topic edit'],
    ['a channel as well', { content: 'x', stream_id: 1 }, 'Cannot change message content while changing channel'],
  ])('rejects an invalid edit: %s', async (_name, form, msg) => {
    const id = await send(hamlet, {});
    expect(await edit(hamlet, id, form)).toMatchObject({ code: 'BAD_REQUEST', msg });
  });
});

describe('GET /messages/{id}/history', () => {
  interface History {
    message_history: Record<string, unknown>[];
    msg: string;
  }
  const history = async (user: DemoUser, id: number): Promise<History> =>
    (await user.client.get<History>(`/api/v1/messages/${id}/history`)).body;

  const marked = (deleted: string, inserted: string) =>
    `<span class="highlight_text_deleted">${deleted}</span><span class="highlight_text_inserted">${inserted}</span>`;

  it('returns every version, oldest first', async () => {
    const id = await send(hamlet, { content: 'one', topic: 'first' });
    await edit(hamlet, id, { content: 'two' });
    await edit(hamlet, id, { topic: 'second', send_notification_to_new_thread: false });
    await edit(hamlet, id, { content: 'three', topic: 'third', send_notification_to_new_thread: false });
    const common = { user_id: hamlet.id, timestamp: expect.any(Number) };
    expect((await history(iago, id)).message_history).toEqual([
      { ...common, topic: 'first', content: 'one', rendered_content: '<p>one</p>' },
      {
        ...common,
        topic: 'first',
        content: 'two',
        rendered_content: '<p>two</p>',
        prev_content: 'one',
        prev_rendered_content: '<p>one</p>',
        content_html_diff: `<p>${marked('one', 'two')}</p>`,
      },
      { ...common, topic: 'second', prev_topic: 'first', content: 'two', rendered_content: '<p>two</p>' },
      {
        ...common,
        topic: 'third',
        prev_topic: 'second',
        content: 'three',
        rendered_content: '<p>three</p>',
        prev_content: 'two',
        prev_rendered_content: '<p>two</p>',
        content_html_diff: `<p>${marked('two', 'three')}</p>`,
      },
    ]);
  });

  it('returns only the versions that the edit history setting of the realm allows', async () => {
    const id = await send(hamlet, { content: 'one', topic: 'first' });
    await edit(hamlet, id, { content: 'two' });
    await edit(hamlet, id, { topic: 'second', send_notification_to_new_thread: false });
    await set({ message_edit_history_visibility_policy: 'moves' });
    const { message_history: moves } = await history(iago, id);
    expect(moves.map(({ topic, content }) => [topic, content])).toEqual([
      ['first', 'two'],
      ['second', 'two'],
    ]);
    await set({ message_edit_history_visibility_policy: 'none' });
    expect(await history(iago, id)).toMatchObject({ msg: 'Message edit history is disabled in this organization' });
    expect((await show(iago, id)).message).not.toHaveProperty('edit_history');
    await set({ message_edit_history_visibility_policy: 'all' });
    expect((await history(polonius, await send(hamlet, { to: 'Denmark' }))).msg).toBe('Invalid message(s)');
  });
});
