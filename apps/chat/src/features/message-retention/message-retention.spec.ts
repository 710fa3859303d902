import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '@switchboard/platform';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageReaders } from '../../core/message-access/index.js';
import { deleteExpiredMessages } from './index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';
import { upload } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let desdemona: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia, desdemona] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'desdemona'),
  ]);
  // Demo messages would otherwise expire, too.
  await query('DELETE FROM user_messages');
  await query('DELETE FROM messages');
  const { rows } = await query('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(String(name), Number(id));
});
afterAll(() => cluster.stop());

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);
const idOf = (name: string): number => channels.get(name) ?? 0;
const bulk = { client_capabilities: JSON.stringify({ bulk_message_deletion: true }) };
const day = 86_400_000;

const messageReaders = (): MessageReaders => new MessageReaders(chat.runtime.subscribers);

function later(days: number): Clock {
  return { ...chat.runtime.clock, now: () => Date.now() + days * day };
}

/** Runs the job that deletes expired messages, with a clock that is ahead by the given number of days. */
async function expire(days: number, batchSize = 500, signal = new AbortController().signal): Promise<void> {
  const { database, eventLog, config } = chat.runtime;
  const events = new ChatEventWriter(eventLog, config);
  await deleteExpiredMessages({ database, events, readers: messageReaders(), clock: later(days), batchSize }, signal);
}

async function left(ids: readonly number[]): Promise<number[]> {
  const { rows } = await query('SELECT id FROM messages WHERE id = ANY($1) ORDER BY id', [ids]);
  return rows.map(({ id }) => Number(id));
}

async function keepFor(user: DemoUser, path: string, days: number | string): Promise<void> {
  const { body } = await user.client.patch<{ msg: string }>(`/api/v1/${path}`, {
    form: { message_retention_days: JSON.stringify(days) },
  });
  expect(body.msg).toBe('');
}

const keepInChannel = (name: string, days: number | string) => keepFor(desdemona, `streams/${idOf(name)}`, days);
const keepInRealm = (days: number | 'unlimited') => keepFor(desdemona, 'realm', days);

describe('deleteExpiredMessages', () => {
  it('deletes no messages by default', async () => {
    const id = await send(hamlet);
    await expire(10_000);
    expect(await left([id])).toEqual([id]);
  });

  it('deletes expired messages of all kinds and emits the deletion to recipients', async () => {
    await keepInRealm(30);
    const [old, older] = [await send(hamlet, { topic: 'one' }), await send(hamlet, { topic: 'two' })];
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([cordelia.id]) });
    await cordelia.client.post('/api/v1/messages/flags', {
      form: { op: 'add', flag: 'starred', messages: JSON.stringify([old, direct]) },
    });
    const [hers, his] = [
      await openTestEventQueue(chat, cordelia, ['delete_message'], bulk),
      await openTestEventQueue(chat, iago, ['delete_message'], bulk),
    ];
    await expire(29.9);
    expect(await left([old, older, direct])).toHaveLength(3);
    await expire(30.1);
    expect(await left([old, older, direct])).toEqual([]);
    expect(
      (await query('SELECT 1 FROM user_messages WHERE message_id = ANY($1)', [[old, older, direct]])).rows,
    ).toEqual([]);
    const place = { type: 'delete_message', message_type: 'stream', stream_id: idOf('Verona') };
    const inChannel = [
      { ...place, topic: 'one', message_ids: [old] },
      { ...place, topic: 'two', message_ids: [older] },
    ];
    const seen = await hers.read();
    expect(seen).toMatchObject([
      { topic: 'events' },
      ...inChannel,
      { type: 'delete_message', message_type: 'private', message_ids: [direct] },
    ]);
    expect(await his.read()).toMatchObject([{ topic: 'events' }, ...inChannel]);
  });

  it('prefers the retention period of the channel to the retention period of the organization', async () => {
    await keepInRealm(30);
    await keepInChannel('Verona', 'unlimited');
    await keepInChannel('Denmark', 7);
    await keepInChannel('core team', 'realm_default');
    const kept = await send(hamlet, { to: 'Verona' });
    const soon = await send(hamlet, { to: 'Denmark' });
    const usual = await send(hamlet, { to: 'core team' });
    await expire(8);
    expect(await left([kept, soon, usual])).toEqual([kept, usual]);
    await expire(31);
    expect(await left([kept, usual])).toEqual([kept]);
    await keepInRealm('unlimited');
    await keepInChannel('Verona', 999_999_999);
    await expire(31);
    expect(await left([kept])).toEqual([kept]);
    await keepInChannel('Verona', 'realm_default');
  });

  it('emits deletions in protected-history channels only to recipients', async () => {
    await keepInChannel('core team', 1);
    await query('UPDATE channels SET history_public_to_subscribers = false WHERE id = $1', [idOf('core team')]);
    const seen = await send(hamlet, { to: 'core team', topic: 'before' });
    await query(
      `INSERT INTO subscriptions (user_id, channel_id, color) VALUES ($1, $2, '#76ce90')
       ON CONFLICT (user_id, channel_id) DO UPDATE SET is_active = true`,
      [cordelia.id, idOf('core team')],
    );
    await query('DELETE FROM user_messages WHERE user_id = $1 AND message_id = $2', [cordelia.id, seen]);
    const both = await send(hamlet, { to: 'core team', topic: 'after' });
    const queue = await openTestEventQueue(chat, cordelia, ['delete_message'], bulk);
    await expire(2);
    expect(await left([seen, both])).toEqual([]);
    expect(await queue.read()).toMatchObject([{ topic: 'after', message_ids: [both] }]);
  });

  it('removes files that only expired messages linked', async () => {
    await keepInChannel('Verona', 1);
    const { url } = await upload(hamlet.client, { name: 'notes.txt', content: 'To be' });
    await send(hamlet, { content: `[f](${url})` });
    const messagesOfFile = async () => {
      const response = await hamlet.client.get<{ attachments: { messages: unknown[] }[] }>('/api/v1/attachments');
      return response.body.attachments[0]?.messages.length;
    };
    expect(await messagesOfFile()).toBe(1);
    await expire(2);
    expect(await messagesOfFile()).toBe(0);
  });

  it('continues batches after an interruption, and deletes each message once when several workers run', async () => {
    await keepInChannel('Verona', 1);
    const ids: number[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await send(hamlet, { topic: `t${count % 2}` }));
    const queue = await openTestEventQueue(chat, cordelia, ['delete_message'], bulk);
    const channels = await openTestEventQueue(chat, cordelia, ['stream']);
    const stop = new AbortController();
    const { database } = chat.runtime;
    const events = new ChatEventWriter(chat.runtime.eventLog, chat.runtime.config);
    const [{ count: received } = { count: 0 }] = (
      await query('SELECT count(*)::int AS count FROM user_messages WHERE message_id = $1', [ids[0]])
    ).rows;
    const first = { database, events, readers: messageReaders(), clock: later(2), batchSize: 3 * Number(received) };
    const ending = { ...first, events: Object.assign(Object.create(events), { write: endAfterOne(events, stop) }) };
    await deleteExpiredMessages(ending, stop.signal);
    expect(await left(ids)).toEqual(ids.slice(3));
    expect(await channels.read()).toMatchObject([{ property: 'first_message_id', value: ids[3] }]);
    await Promise.all([expire(2, 2), expire(2, 2), expire(2, 3)]);
    expect(await left(ids)).toEqual([]);
    const told = (await queue.read()).flatMap((event) => event['message_ids'] as number[]);
    expect(told.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('emits the oldest message of a channel once, after the last batch', async () => {
    await keepInChannel('Verona', 1);
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await send(hamlet, { topic: 'oldest' }));
    const queue = await openTestEventQueue(chat, cordelia, ['stream']);
    await expire(2, 1);
    expect(await left(ids)).toEqual([]);
    const events = (await queue.read()).filter(({ property }) => property === 'first_message_id');
    expect(events.map((event) => [event['stream_id'], event['value']])).toEqual([[idOf('Verona'), null]]);
  });

  it('deletes the messages of all other conversations when one conversation fails', async () => {
    await keepInChannel('Verona', 3);
    await keepInChannel('Denmark', 3);
    await query(
      `CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
    );
    for (const names of [
      ['Verona', 'Denmark'],
      ['Denmark', 'Verona'],
    ]) {
      const [refused, other] = [await send(hamlet, { to: names[0]! }), await send(hamlet, { to: names[1]! })];
      await query(`CREATE TRIGGER refuse BEFORE DELETE ON messages FOR EACH ROW WHEN (OLD.id = ${refused})
        EXECUTE FUNCTION refuse()`);
      await expect(expire(4)).rejects.toThrow('refused');
      expect(await left([refused, other])).toEqual([refused]);
      await query('DROP TRIGGER refuse ON messages');
      await expire(4);
      expect(await left([refused])).toEqual([]);
    }
    await query('DROP FUNCTION refuse()');
    await keepInChannel('Verona', 'realm_default');
    await keepInChannel('Denmark', 'realm_default');
  });

  it('runs as a periodic job', { timeout: 40_000 }, async () => {
    await keepInChannel('Verona', 1);
    const id = await send(hamlet);
    // Processes of one deployment must agree on the period.
    const clock = later(2);
    await chat.stop();
    chat = await cluster.start({ RETENTION_PERIOD_MS: '100' }, clock);
    await expect.poll(() => left([id]), { timeout: 30_000 }).toEqual([]);
  });
});

function endAfterOne(events: ChatEventWriter, stop: AbortController): ChatEventWriter['write'] {
  return (...write) => {
    stop.abort();
    events.write(...write);
  };
}
