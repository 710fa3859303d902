import { FakeClock } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { Mailbox } from '../../../test/test-mailbox.js';

const clock = new FakeClock(Date.now());
let cluster: ChatCluster;
let chat: ChatProcess;
let mailbox: Mailbox;
let iago: DemoUser;
let hamlet: DemoUser;
let zoe: DemoUser;
let desdemona: DemoUser;
let verona: number;

beforeAll(async () => {
  cluster = await chatCluster();
  // The test clock runs every due check when it advances, so frequent checks would take most of the time of this file.
  chat = await cluster.start({ MISSED_MESSAGES_CHECK_MS: '1000' }, clock);
  mailbox = new Mailbox(chat);
  [iago, hamlet, zoe] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet'), signIn(chat, 'ZOE')]);
  const sql = "SELECT id FROM channels WHERE name = 'Verona'";
  verona = (await chat.runtime.database.query<{ id: number }>(sql)).rows[0]?.id ?? 0;
  await chat.runtime.database.query('DELETE FROM presences');
  // Otherwise a mention makes the user follow the topic, and followed topics are emailed, too.
  await change(hamlet, { automatically_follow_topics_where_mentioned: false });
  desdemona = await signIn(chat, 'desdemona');
  await updateRealm({ message_content_edit_limit_seconds: '"unlimited"' });
});
afterAll(() => cluster.stop());

const second = 1000;
type Form = Record<string, string | number | boolean>;

async function send(form: Form): Promise<number> {
  return (await iago.client.post<{ id: number }>('/api/v1/messages', { form })).body.id;
}
const toPerson = (user: DemoUser, content: string) => send({ type: 'direct', to: `[${user.id}]`, content });
const toTopic = (topic: string, content: string) => send({ type: 'channel', to: 'Verona', topic, content });
const change = async (user: DemoUser, form: Form) =>
  expect((await user.client.patch('/api/v1/settings', { form })).status).toBe(200);
const updateRealm = async (form: Form) =>
  expect((await desdemona.client.patch('/api/v1/realm', { form })).status).toBe(200);
const subjectOf = (mail: string) => {
  const encoded = /^Subject: =\?utf-8\?B\?(.*)\?=\r$/m.exec(mail)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
};

/**
 * Returns the ids of the messages in the next missed-message email to a user. Waits first until all messages sent
 * before are processed.
 */
async function noted(user: DemoUser): Promise<number[]> {
  // Messages are processed in the order in which they were sent.
  const last = await toPerson(zoe, 'and now?');
  const listOf = async (id: number) => {
    const sql = 'SELECT message_id FROM missed_messages WHERE user_id = $1 ORDER BY message_id';
    const { rows } = await chat.runtime.database.query<{ message_id: number }>(sql, [id]);
    return rows.map(({ message_id: messageId }) => messageId);
  };
  await expect.poll(() => listOf(zoe.id)).toContain(last);
  return listOf(user.id);
}

/** Waits until all due missed-message emails are sent. */
async function allSent(): Promise<void> {
  const sql = `SELECT (SELECT count(*) FROM missed_messages WHERE due_at <= $1)
    + (SELECT count(*) FROM outgoing_mails) + (SELECT count(*) FROM queue.outbox WHERE topic = 'chat.mail') AS waiting`;
  const waiting = async () =>
    (await chat.runtime.database.query<{ waiting: number }>(sql, [new Date(clock.now())])).rows[0]?.waiting;
  await expect.poll(waiting).toBe(0);
}

beforeEach(async () => {
  await clock.advanceTime(600 * second);
  await allSent();
});

describe('enqueueMissedMails', () => {
  it('sends the missed messages of a conversation in one email, after the batching period of the user', async () => {
    await change(zoe, { email_notifications_batching_period_seconds: 30 });
    const before = [(await mailbox.list(hamlet.email)).length, (await mailbox.list(zoe.email)).length] as const;
    await toPerson(hamlet, 'one');
    expect(await noted(hamlet)).toHaveLength(1);
    await clock.advanceTime(60 * second);
    // The email of a user with a shorter period shows that the job has run. Otherwise the job would include the
    // messages below.
    await mailbox.newest(zoe.email, before[1] + 1);
    await toPerson(hamlet, '**two**');
    await toTopic('mails', '@**King Hamlet** three');
    expect(await noted(hamlet)).toHaveLength(3);
    expect(await mailbox.list(hamlet.email)).toHaveLength(before[0]);
    await clock.advanceTime(61 * second);
    const mail = await mailbox.newest(hamlet.email, before[0] + 1);
    await allSent();
    expect(await mailbox.list(hamlet.email)).toHaveLength(before[0] + 1);
    expect(subjectOf(mail)).toBe('Direct messages with Iago');
    expect(mail).toContain('Iago:\r\none\r\n\r\nIago:\r\n**two**\r\n');
    await clock.advanceTime(60 * second);
    const other = await mailbox.newest(hamlet.email, before[0] + 2);
    expect(subjectOf(other)).toBe('#Verona > mails');
    expect(other).toContain('three');
  });

  it('omits messages that were read or deleted, or whose mention was removed', async () => {
    const before = (await mailbox.list(hamlet.email)).length;
    const read = await toPerson(hamlet, 'read');
    const gone = await toPerson(hamlet, 'gone');
    const edited = await toTopic('mails', '@**King Hamlet** sorry');
    const stays = await toTopic('mails', '@**King Hamlet** stays');
    expect(await noted(hamlet)).toEqual([read, gone, edited, stays]);
    await hamlet.client.post('/api/v1/messages/flags', {
      form: { messages: JSON.stringify([read]), op: 'add', flag: 'read' },
    });
    expect((await iago.client.delete(`/api/v1/messages/${gone}`)).status).toBe(200);
    const form = { content: 'sorry' };
    expect((await iago.client.patch(`/api/v1/messages/${edited}`, { form })).status).toBe(200);
    await clock.advanceTime(121 * second);
    await allSent();
    const mails = (await mailbox.list(hamlet.email)).slice(before);
    expect(mails.map(subjectOf)).toEqual(['#Verona > mails']);
    expect(mails[0]).toContain('stays');
    expect(mails[0]).not.toContain('sorry');
  });

  it.each([
    ['the user', () => change(hamlet, { message_content_in_email_notifications: false })],
    [
      'the organization',
      async () => {
        await change(hamlet, { message_content_in_email_notifications: true });
        await updateRealm({ message_content_allowed_in_email_notifications: false });
      },
    ],
  ])('omits the content of messages if %s disables content in emails', async (_name, prepare) => {
    await prepare();
    const before = (await mailbox.list(hamlet.email)).length;
    await toPerson(hamlet, 'between us');
    expect(await noted(hamlet)).toHaveLength(1);
    await clock.advanceTime(121 * second);
    const mail = await mailbox.newest(hamlet.email, before + 1);
    expect(subjectOf(mail)).toBe('New messages');
    expect(mail).toContain('You have 1 new message.');
    expect(mail).not.toContain('between us');
  });
});

describe('enqueueMissedMails for one message', () => {
  const follow = (topic: string, policy: number) =>
    hamlet.client.post('/api/v1/user_topics', {
      form: { stream_id: verona, topic, visibility_policy: policy },
    });
  const prefer = (property: string, value: unknown) =>
    hamlet.client.post('/api/v1/users/me/subscriptions/properties', {
      form: { subscription_data: JSON.stringify([{ stream_id: verona, property, value }]) },
    });
  const none = async () => {};

  it.each<readonly [string, boolean, string, string, () => Promise<unknown>]>([
    ['without a mention', false, 'a', 'hello', none],
    ['with a mention of them', true, 'a', '@**King Hamlet**', none],
    ['with a wildcard mention', true, 'a', '@**all**', none],
    ['in a topic that they follow', true, 'followed', 'hello', () => follow('followed', 3)],
    [
      'in a topic that they follow, if they disable emails for those',
      false,
      'followed',
      'hello',
      () => change(hamlet, { enable_followed_topic_email_notifications: false }),
    ],
    ['with a mention of them in a muted topic', false, 'muted', '@**King Hamlet**', () => follow('muted', 1)],
    [
      'with a wildcard mention, if they disable notifications of those',
      false,
      'a',
      '@**all**',
      () => change(hamlet, { wildcard_mentions_notify: false }),
    ],
    [
      'with a wildcard mention in a topic that they follow',
      true,
      'followed',
      '@**all**',
      () => change(hamlet, { wildcard_mentions_notify: false }),
    ],
    [
      'in any channel, if they enable emails for all channels',
      true,
      'a',
      'hello',
      () => change(hamlet, { enable_stream_email_notifications: true }),
    ],
    ['in a channel for which they disable emails', false, 'a', 'hello', () => prefer('email_notifications', false)],
    [
      'in a channel for which they enable emails',
      true,
      'a',
      'hello',
      async () => {
        await change(hamlet, { enable_stream_email_notifications: false });
        await prefer('email_notifications', true);
      },
    ],
    ['with a mention of them in a muted channel', false, 'a', '@**King Hamlet**', () => prefer('is_muted', true)],
    [
      'with a mention of them, who want no such mails',
      false,
      'a',
      '@**King Hamlet**',
      async () => {
        await prefer('is_muted', false);
        await prefer('email_notifications', false);
        await change(hamlet, { enable_offline_email_notifications: false });
      },
    ],
  ])(
    'decides if an idle user gets an email about a message %s: %s',
    async (_name, isMailed, topic, content, prepare) => {
      await prepare();
      const id = await toTopic(topic, content);
      expect(await noted(hamlet)).toEqual(isMailed ? [id] : []);
    },
  );

  it('sends emails to users whom an edit newly mentions', async () => {
    await change(hamlet, { enable_offline_email_notifications: true });
    const othello = await signIn(chat, 'othello');
    const id = await toTopic('edited', '@**Othello, the Moor of Venice**');
    expect(await noted(othello)).toEqual([id]);
    await clock.advanceTime(121 * second);
    await allSent();
    const form = { content: '@**Othello, the Moor of Venice** @**King Hamlet**' };
    expect((await iago.client.patch(`/api/v1/messages/${id}`, { form })).status).toBe(200);
    expect(await noted(hamlet)).toEqual([id]);
    expect(await noted(othello)).toEqual([]);
  });

  it('sends no email to recently active users', async () => {
    await change(hamlet, { enable_offline_email_notifications: true });
    await hamlet.client.post('/api/v1/users/me/presence', { form: { status: 'active' } });
    const sql = 'UPDATE presences SET last_active_at = $2 WHERE user_id = $1';
    await chat.runtime.database.query(sql, [hamlet.id, new Date(clock.now() - 199 * second)]);
    await toPerson(hamlet, 'there?');
    expect(await noted(hamlet)).toEqual([]);
    await clock.advanceTime(2 * second);
    const id = await toPerson(hamlet, 'there?');
    expect(await noted(hamlet)).toEqual([id]);
  });
});
