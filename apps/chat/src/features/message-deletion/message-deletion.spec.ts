import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ BULK_CHANGE_BUDGET_MS: '0' });
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
const bulk = { client_capabilities: JSON.stringify({ bulk_message_deletion: true }) };

interface ResponseBody {
  msg: string;
  code?: string;
  complete?: boolean;
}

async function remove(user: DemoUser, id: number): Promise<ResponseBody> {
  return (await user.client.delete<ResponseBody>(`/api/v1/messages/${id}`)).body;
}

async function removeTopic(user: DemoUser, channel: string, topic: string): Promise<ResponseBody> {
  const path = `/api/v1/streams/${idOf(channel)}/delete_topic`;
  return (await user.client.post<ResponseBody>(path, { form: { topic_name: topic } })).body;
}

async function give(setting: string, group: string): Promise<void> {
  await query(
    'UPDATE realm_permissions SET group_id = (SELECT id FROM user_groups WHERE name = $2) WHERE setting = $1',
    [setting, group],
  );
}

describe('DELETE /messages/{id}', () => {
  it('deletes the message for all recipients, with its reactions and files', async () => {
    const id = await send(hamlet, { topic: 'gone' });
    const [many, single] = await Promise.all([
      openTestEventQueue(chat, cordelia, ['delete_message'], bulk),
      openTestEventQueue(chat, iago, ['delete_message']),
    ]);
    expect((await remove(hamlet, id)).msg).toBe('');
    const event = { type: 'delete_message', message_type: 'stream', stream_id: idOf('Verona'), topic: 'gone' };
    expect(await many.read()).toEqual([{ ...event, message_ids: [id] }]);
    expect(await single.read()).toEqual([{ ...event, message_id: id }]);
    expect((await query('SELECT 1 FROM user_messages WHERE message_id = $1', [id])).rows).toEqual([]);
    expect(await remove(hamlet, id)).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid message(s)' });
  });

  it('emits the deletion of a direct message to its participants', async () => {
    const id = await send(hamlet, { type: 'direct', to: JSON.stringify([cordelia.id]) });
    const [hers, others] = await Promise.all([
      openTestEventQueue(chat, cordelia, ['delete_message']),
      openTestEventQueue(chat, iago, ['delete_message']),
    ]);
    await remove(hamlet, id);
    expect(await hers.read()).toEqual([{ type: 'delete_message', message_type: 'private', message_id: id }]);
    expect(await others.read()).toEqual([]);
  });

  it('deletes own messages within the time limit, and any message if the user has the permission', async () => {
    const [own, old, other] = [await send(hamlet), await send(hamlet), await send(iago)];
    expect(await remove(cordelia, own)).toMatchObject({
      code: 'BAD_REQUEST',
      msg: "You don't have permission to delete this message",
    });
    await query("UPDATE messages SET date_sent = now() - interval '11 minutes' WHERE id = $1", [old]);
    expect((await remove(hamlet, old)).msg).toBe('The time limit for deleting this message has passed');
    expect((await remove(iago, old)).msg).toBe('');
    expect((await remove(hamlet, other)).msg).toBe("You don't have permission to delete this message");
    await give('can_delete_own_message_group', 'role:moderators');
    expect((await remove(hamlet, own)).msg).toBe("You don't have permission to delete this message");
    await give('can_delete_own_message_group', 'role:everyone');
    expect((await remove(hamlet, own)).msg).toBe('');
  });

  it('responds for a hidden message as for a nonexistent message, also to administrators', async () => {
    const id = await send(hamlet, { type: 'direct', to: JSON.stringify([cordelia.id]) });
    expect(await remove(iago, id)).toEqual(await remove(iago, 999_999_999));
  });

  it('emits the new oldest message of the channel', async () => {
    const [first, second] = [await send(hamlet, { to: 'core team' }), await send(hamlet, { to: 'core team' })];
    await query(
      `DELETE FROM messages m USING recipients r WHERE r.id = m.recipient_id AND r.channel_id = $1 AND m.id < $2`,
      [idOf('core team'), first],
    );
    const queue = await openTestEventQueue(chat, hamlet, ['stream']);
    await Promise.all([remove(hamlet, first), remove(hamlet, second)]);
    const change = { type: 'stream', op: 'update', stream_id: idOf('core team'), name: 'core team' };
    expect((await queue.read()).at(-1)).toEqual({ ...change, property: 'first_message_id', value: null });
  });

  it('leaves no rows of the deleted message when an edit runs concurrently', async () => {
    const id = await send(hamlet);
    const form = { content: 'late' };
    await Promise.all([
      remove(hamlet, id),
      hamlet.client.patch(`/api/v1/messages/${id}`, { form }),
      hamlet.client.patch(`/api/v1/messages/${id}`, { form: { topic: 'elsewhere' } }),
      remove(iago, id),
    ]);
    expect((await query('SELECT 1 FROM messages WHERE id = $1', [id])).rows).toEqual([]);
    expect((await query('SELECT 1 FROM user_messages WHERE message_id = $1', [id])).rows).toEqual([]);
  });
});

describe('POST /streams/{id}/delete_topic', () => {
  it('deletes only the named topic, in any letter case', async () => {
    const [a, b] = [await send(hamlet, { topic: 'Old News' }), await send(hamlet, { topic: 'old news' })];
    const kept = await send(hamlet, { topic: 'new news' });
    const queue = await openTestEventQueue(chat, cordelia, ['delete_message'], bulk);
    expect(await removeTopic(iago, 'Verona', 'OLD news')).toMatchObject({ msg: '', complete: true });
    expect(await queue.read()).toMatchObject([
      { message_ids: [a], topic: 'Old News' },
      { message_ids: [b], topic: 'old news' },
    ]);
    const { rows } = await query('SELECT id FROM messages WHERE id = ANY($1)', [[a, b, kept]]);
    expect(rows).toEqual([{ id: kept }]);
    expect(await removeTopic(iago, 'Verona', 'no such topic')).toMatchObject({ msg: '', complete: true });
  });

  it('deletes the newest messages first, and returns `complete: false` when the time limit is reached', async () => {
    const first = await send(hamlet, { topic: 'long' });
    await query(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic)
       SELECT realm_id, sender_id, recipient_id, client_id, topic_id, topic_since, topic
       FROM messages, generate_series(1, 700) WHERE id = $1`,
      [first],
    );
    const topicId = (await query('SELECT topic_id FROM messages WHERE id = $1', [first])).rows[0]?.['topic_id'];
    const left = async () =>
      (await query('SELECT min(id) AS first, count(*) AS count FROM messages WHERE topic_id = $1', [topicId])).rows[0];
    expect(await removeTopic(iago, 'Verona', 'long')).toMatchObject({ msg: '', complete: false });
    expect(await left()).toEqual({ first, count: 201 });
    expect(await removeTopic(iago, 'Verona', 'long')).toMatchObject({ msg: '', complete: true });
    expect(await left()).toEqual({ first: null, count: 0 });
  });

  it('counts the message rows of recipients towards the size of a batch', async () => {
    const ids = [await send(hamlet, { topic: 'many' }), await send(hamlet, { topic: 'many' })];
    ids.push(await send(hamlet, { topic: 'many' }));
    await query(
      `INSERT INTO user_messages (user_id, message_id, flags)
       SELECT 1000000 + n, id, 1 FROM unnest($1::bigint[]) id, generate_series(1, 3000) n`,
      [ids],
    );
    const left = async () => (await query('SELECT id FROM messages WHERE id = ANY($1)', [ids])).rows;
    expect(await removeTopic(iago, 'Verona', 'many')).toMatchObject({ msg: '', complete: false });
    expect(await left()).toEqual([{ id: ids[0] }]);
    expect(await removeTopic(iago, 'Verona', 'many')).toMatchObject({ msg: '', complete: true });
    expect(await left()).toEqual([]);
    expect((await query('SELECT 1 FROM user_messages WHERE message_id = ANY($1)', [ids])).rows).toEqual([]);
  });

  it('requires an administrator or permission to delete any message', async () => {
    await send(hamlet, { topic: 'theirs' });
    expect(await removeTopic(hamlet, 'Verona', 'theirs')).toMatchObject({
      code: 'UNAUTHORIZED_PRINCIPAL',
      msg: 'Must be an organization administrator',
    });
    await give('can_delete_any_message_group', 'role:members');
    expect(await removeTopic(hamlet, 'Verona', 'theirs')).toMatchObject({ msg: '', complete: true });
    await give('can_delete_any_message_group', 'role:administrators');
  });

  it('responds for a channel that the administrator cannot read as for a nonexistent channel', async () => {
    await query('UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND channel_id = $2', [
      iago.id,
      idOf('core team'),
    ]);
    const hidden = await removeTopic(iago, 'core team', 'x');
    expect(hidden).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid channel ID' });
    channels.set('nowhere', 999_999);
    expect(await removeTopic(iago, 'nowhere', 'x')).toEqual(hidden);
    channels.set('beyond 32 bits', 999_999_999_999);
    expect(await removeTopic(iago, 'beyond 32 bits', 'x')).toEqual(hidden);
  });
});
