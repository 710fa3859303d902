import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEventWriter } from '../src/events/chat-events.js';
import { MessageReaders } from '../src/core/message-access/index.js';
import { deleteMessagesOfDeletedUsers } from '../src/features/message-retention/index.js';
import { promoteMembersToFullMembers } from '../src/core/user-groups/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { poll, registerTestEventQueue, fetchPendingEvents } from './event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let othello: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const names = ['desdemona', 'iago', 'hamlet', 'othello', 'polonius'];
  const people = await Promise.all(names.map((name) => signIn(chat, name)));
  [desdemona, iago, hamlet, othello, polonius] = people as [DemoUser, DemoUser, DemoUser, DemoUser, DemoUser];
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

/** Sends a request and checks that the response is a success. */
async function requestSuccessfully(
  user: DemoUser,
  method: 'post' | 'patch' | 'delete',
  path: string,
  fields: Json = {},
): Promise<Json> {
  const form = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const { body } = await user.client[method]<Json>(`/api/v1/${path}`, { form });
  expect(body['msg'], path).toBe('');
  return body;
}

const query = <R>(text: string, values: unknown[] = []) => chat.runtime.database.query<R>(text, values);
const send = (user: DemoUser, fields: Json) =>
  requestSuccessfully(user, 'post', 'messages', {
    type: 'channel',
    to: 'Verona',
    topic: 'sight',
    content: 'x',
    ...fields,
  });

async function systemGroup(name: string): Promise<number> {
  return (await query<{ id: number }>('SELECT id FROM user_groups WHERE name = $1', [name])).rows[0]?.id ?? 0;
}

describe('POST /users/{user_id}/reactivate', () => {
  it('applies alert words and mutes of the user to new messages', async () => {
    await requestSuccessfully(iago, 'post', 'users/me/subscriptions', {
      subscriptions: [{ name: 'Verona' }],
      principals: [othello.id, hamlet.id],
    });
    await requestSuccessfully(othello, 'post', 'users/me/alert_words', { alert_words: ['zebra'] });
    await requestSuccessfully(othello, 'post', `users/me/muted_users/${hamlet.id}`);
    await requestSuccessfully(desdemona, 'delete', `users/${othello.id}`);
    // This change makes the process read alert words and mutes again, without those of the deactivated user.
    await requestSuccessfully(iago, 'post', 'users/me/alert_words', { alert_words: ['giraffe'] });
    await send(iago, { content: 'giraffe' });
    await requestSuccessfully(desdemona, 'post', `users/${othello.id}/reactivate`);
    const { id } = await send(hamlet, { content: 'a zebra' });
    const { rows } = await query<{ flags: number }>(
      'SELECT flags FROM user_messages WHERE message_id = $1 AND user_id = $2',
      [id, othello.id],
    );
    expect((rows[0]?.flags ?? 0) & (64 | 1)).toBe(64 | 1);
  });

  it('cancels the deletion of messages of the reactivated user', async () => {
    const sender = await signIn(chat, 'othello');
    const { id } = await send(sender, { content: 'stays' });
    await requestSuccessfully(desdemona, 'delete', `users/${sender.id}`);
    // The test inserts the row that a deletion with `delete_messages` stores, because the job that normally follows
    // would be faster than this test.
    await query(
      'INSERT INTO doomed_senders (user_id, public_channels, private_channels, direct) VALUES ($1, true, true, true)',
      [sender.id],
    );
    await requestSuccessfully(desdemona, 'post', `users/${sender.id}/reactivate`);
    const { database, eventLog, config, clock, subscribers } = chat.runtime;
    const readers = new MessageReaders(subscribers);
    const tools = { database, events: new ChatEventWriter(eventLog, config), readers, clock, batchSize: 100 };
    await deleteMessagesOfDeletedUsers(tools, new AbortController().signal);
    expect((await query('SELECT 1 FROM messages WHERE id = $1', [id])).rowCount).toBe(1);
    expect((await query('SELECT 1 FROM doomed_senders')).rowCount).toBe(0);
  });
});

describe('deleteMessagesOfDeletedUsers', () => {
  it('retains messages of a channel that becomes private while the deletion waits for the channel lock', async () => {
    const { id } = await send(hamlet, { content: 'stays', to: 'Denmark' });
    const { database, eventLog, config, clock, subscribers } = chat.runtime;
    const readers = new MessageReaders(subscribers);
    const tools = { database, events: new ChatEventWriter(eventLog, config), readers, clock, batchSize: 100 };
    await query(
      'INSERT INTO doomed_senders (user_id, public_channels, private_channels, direct) VALUES ($1, true, false, false)',
      [hamlet.id],
    );
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query("UPDATE channels SET is_private = true WHERE name = 'Denmark'");
    const deletion = deleteMessagesOfDeletedUsers(tools, new AbortController().signal);
    const waiters = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM channels%'`;
    await expect.poll(async () => (await query(waiters)).rowCount, { timeout: 15_000 }).toBe(1);
    await client.query('COMMIT');
    client.release();
    await deletion;
    expect((await query('SELECT 1 FROM messages WHERE id = $1', [id])).rowCount).toBe(1);
    expect((await query('SELECT 1 FROM doomed_senders')).rowCount).toBe(0);
  });
});

describe('promoteMembersToFullMembers', () => {
  it('ends the queues of new full members who gain private channels', async () => {
    const { database, eventLog, config } = chat.runtime;
    const events = new ChatEventWriter(eventLog, config);
    await requestSuccessfully(desdemona, 'patch', 'realm', { waiting_period_threshold: 3 });
    const queues = { iago: await registerTestEventQueue(iago), hamlet: await registerTestEventQueue(hamlet) };
    const joined = (user: DemoUser) =>
      query("UPDATE users SET date_joined = now() - interval '4 days' WHERE id = $1", [user.id]);
    await joined(hamlet);
    await promoteMembersToFullMembers(database, events);
    expect((await poll(hamlet, queues.hamlet, { dont_block: true })).code).toBeUndefined();

    await requestSuccessfully(iago, 'post', 'channels/create', {
      name: 'full members',
      subscribers: [iago.id],
      invite_only: true,
      can_subscribe_group: await systemGroup('role:fullmembers'),
    });
    await query('UPDATE users SET date_joined = now() WHERE id = $1', [hamlet.id]);
    await requestSuccessfully(desdemona, 'patch', 'realm', { waiting_period_threshold: 4 });
    expect((await poll(hamlet, queues.hamlet, { dont_block: true })).code).toBe('BAD_EVENT_QUEUE_ID');
    const queue = await registerTestEventQueue(hamlet);
    await query("UPDATE users SET date_joined = now() - interval '5 days' WHERE id = $1", [hamlet.id]);
    await promoteMembersToFullMembers(database, events);
    await eventLog.sweep();
    expect((await poll(hamlet, queue, { dont_block: true })).code).toBe('BAD_EVENT_QUEUE_ID');
    expect((await poll(iago, queues.iago, { dont_block: true })).code).toBeUndefined();
  });
});

describe('can_access_all_users_group', () => {
  async function newUser(name: string): Promise<number> {
    const form = { email: `${name}@example.com`, full_name: name, password: 'a long password of 7 zebras' };
    await query('UPDATE users SET can_create_users = true WHERE id = $1', [desdemona.id]);
    await chat.runtime.credentials.evictByTag(`user:${desdemona.id}`);
    return Number((await requestSuccessfully(desdemona, 'post', 'users', form))['user_id']);
  }

  it('makes the participants of a first direct message visible to a guest', async () => {
    await requestSuccessfully(iago, 'patch', 'realm', {
      can_access_all_users_group: { new: await systemGroup('role:members') },
    });
    const stranger = await newUser('stranger');
    await query('DELETE FROM subscriptions WHERE user_id = $1', [stranger]);
    const queue = await registerTestEventQueue(polonius, { event_types: '["realm_user", "message"]' });
    await send(iago, { type: 'direct', to: [polonius.id, stranger] });
    await send(iago, { type: 'direct', to: [polonius.id, stranger] });
    const events = await fetchPendingEvents(chat, polonius, queue);
    expect(events.map(({ type, op }) => (type === 'realm_user' ? `realm_user/${String(op)}` : type))).toEqual([
      'realm_user/add',
      'message',
      'message',
    ]);
    expect(events[0]).toMatchObject({ person: { user_id: stranger, full_name: 'stranger' } });
  });

  it('ends the queue of a guest when a channel is archived, and shows its subscribers after unarchiving', async () => {
    const other = await newUser('neighbour');
    await query('DELETE FROM subscriptions WHERE user_id = $1', [other]);
    const { id } = await requestSuccessfully(iago, 'post', 'channels/create', {
      name: 'shared with a guest',
      subscribers: [polonius.id, other],
    });
    const before = await registerTestEventQueue(polonius);
    await requestSuccessfully(iago, 'delete', `streams/${String(id)}`);
    await chat.runtime.eventLog.sweep();
    expect((await poll(polonius, before, { dont_block: true })).code).toBe('BAD_EVENT_QUEUE_ID');
    const queue = await registerTestEventQueue(polonius, { event_types: '["realm_user"]' });
    await requestSuccessfully(iago, 'patch', `streams/${String(id)}`, { is_archived: false });
    expect(await fetchPendingEvents(chat, polonius, queue)).toMatchObject([{ op: 'add', person: { user_id: other } }]);
  });
});

describe('POST /invites', () => {
  it('emits invites_changed to the first inviter when another user invites the same email address', async () => {
    await requestSuccessfully(desdemona, 'patch', 'realm', {
      can_invite_users_group: { new: await systemGroup('role:members') },
      waiting_period_threshold: 0,
    });
    const form = { invitee_emails: 'replaced@example.com', stream_ids: [] };
    await requestSuccessfully(hamlet, 'post', 'invites', form);
    const queue = await registerTestEventQueue(hamlet, { event_types: '["invites_changed"]' });
    await requestSuccessfully(iago, 'post', 'invites', form);
    expect(await fetchPendingEvents(chat, hamlet, queue)).toMatchObject([{ type: 'invites_changed' }]);
  });
});

describe('POST /mark_stream_as_read and /mark_topic_as_read', () => {
  it('return whether all messages were marked as read', async () => {
    await send(iago, { topic: 'marked' });
    const { rows } = await query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
    const stream_id = rows[0]?.id;
    expect(
      await requestSuccessfully(hamlet, 'post', 'mark_topic_as_read', { stream_id, topic_name: 'marked' }),
    ).toMatchObject({
      complete: true,
    });
    expect(await requestSuccessfully(hamlet, 'post', 'mark_stream_as_read', { stream_id })).toMatchObject({
      complete: true,
    });
  });
});
