import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let polonius: DemoUser;

const path = '/api/v1/reminders';
const later = 4_000_000_000;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, polonius] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

async function sendMessage(form: Record<string, string>): Promise<string> {
  return String((await iago.client.post<{ id: number }>('/api/v1/messages', { form })).body.id);
}

const sendDirect = (content: string) => sendMessage({ type: 'direct', to: JSON.stringify([hamlet.id]), content });

const remind = async (user: DemoUser, form: Record<string, string>) => {
  const time = { scheduled_delivery_timestamp: String(later) };
  return (await user.client.post<Json & { reminder_id: number }>(path, { form: { ...time, ...form } })).body;
};

const list = async (user: DemoUser) => (await user.client.get<{ reminders: Json[] }>(path)).body.reminders;

describe('endpoints of reminders', () => {
  it('emit a stored or deleted reminder only to clients of the user', async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['reminders']),
      openTestEventQueue(chat, iago, ['reminders']),
    ]);
    const message = await sendDirect('the *play*');
    const { reminder_id: id } = await remind(hamlet, { message_id: message, note: ' is the thing ' });
    const reminder = {
      reminder_id: id,
      type: 'private',
      to: [hamlet.id],
      content: expect.stringMatching(/Note:\n> is the thing\n[^]*```quote\nthe \*play\*\n```$/),
      rendered_content: expect.stringContaining('<p>the <em>play</em></p>'),
      scheduled_delivery_timestamp: later,
      failed: false,
      reminder_target_message_id: Number(message),
    };
    expect(await list(hamlet)).toEqual([reminder]);
    const form = { fetch_event_types: '["reminders"]' };
    const { body } = await hamlet.client.post<Json>('/api/v1/register', { form });
    expect(body).toMatchObject({ reminders: [reminder], max_reminder_note_length: 500 });
    const missing = { status: 404, body: { code: 'NOT_FOUND', msg: 'Reminder does not exist' } };
    expect(await iago.client.delete(`${path}/${id}`)).toMatchObject(missing);
    expect(await hamlet.client.delete(`/api/v1/scheduled_messages/${id}`)).toMatchObject({ status: 404 });
    expect((await hamlet.client.delete<Json>(`${path}/${id}`)).body).toEqual({ result: 'success', msg: '' });
    expect(await hamlet.client.delete(`${path}/${id}`)).toMatchObject(missing);
    expect(await own.read()).toEqual([
      { type: 'reminders', op: 'add', reminders: [reminder] },
      { type: 'reminders', op: 'remove', reminder_id: id },
    ]);
    expect(await others.read()).toEqual([]);
  });

  it('name the channel and topic of the message instead of the text of a poll', async () => {
    const message = await sendMessage({ type: 'channel', to: 'Verona', topic: 'dawn', content: '/poll When?\nnow' });
    const { reminder_id: id } = await remind(hamlet, { message_id: message });
    const reminder = (await list(hamlet)).find((one) => one['reminder_id'] === id);
    expect(reminder?.['content']).toMatch(/ a poll in #\*\*Verona>dawn\*\*\.$/);
  });

  it('cut the quote of a long message to the maximum length of messages', async () => {
    const message = await sendDirect(`${'x'.repeat(9_995)}\n~~~~`);
    const { reminder_id: id } = await remind(hamlet, { message_id: message });
    const content = String((await list(hamlet)).find((one) => one['reminder_id'] === id)?.['content']);
    expect(content).toHaveLength(10_000);
    expect(content).toMatch(/x\n\[message truncated\]\n`````$/);
  });

  it('omit a quote when its code fences would exceed the maximum length of a message', async () => {
    const { reminder_id: id } = await remind(hamlet, { message_id: await sendDirect('`'.repeat(10_000)) });
    const content = String((await list(hamlet)).find((one) => one['reminder_id'] === id)?.['content']);
    expect(content).toMatch(/^You asked to be reminded of this direct message\.\n\n.* to @_\*\*[^`]*\*\*\.$/);
  });

  it('show the note without the quote when the user can no longer read the message', async () => {
    const message = await sendDirect('confidential');
    const { reminder_id: id } = await remind(hamlet, { message_id: message, note: 'a <b>\nc' });
    await chat.runtime.database.query('DELETE FROM user_messages WHERE message_id = $1', [message]);
    const heading = 'You asked to be reminded of a message that is no longer available.';
    const reminder = {
      reminder_id: id,
      content: `${heading} Note:\n> a <b>\n> c`,
      rendered_content: `<p>${heading} Note:</p>\n<blockquote>\n<p>a &lt;b&gt;<br>\nc</p>\n</blockquote>`,
    };
    expect(await list(hamlet)).toContainEqual(expect.objectContaining(reminder));
    const form = { fetch_event_types: '["reminders"]' };
    const { body } = await hamlet.client.post<{ reminders: Json[] }>('/api/v1/register', { form });
    expect(body.reminders).toContainEqual(expect.objectContaining(reminder));
  });

  it.each([
    ['a message that does not exist', { message_id: '999999' }, 'Invalid message(s)'],
    ['a time in the past', { scheduled_delivery_timestamp: '1' }, 'Scheduled delivery time must be in the future.'],
    ['a long note', { note: 'x'.repeat(501) }, 'note is too long (limit: 500 characters)'],
  ])('reject an invalid reminder: %s', async (_name, form, msg) => {
    const message = await sendDirect('hello');
    expect(await remind(hamlet, { message_id: message, ...form })).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('respond for a message that the user cannot read as for a nonexistent message', async () => {
    const message = await sendDirect('secret');
    expect(await remind(polonius, { message_id: message })).toMatchObject({ msg: 'Invalid message(s)' });
  });
});
