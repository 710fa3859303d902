import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue, type TestQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
/**
 * Event queue of a client that declares all client capabilities and fetches all event types. The client of the queue
 * `older` declares no capabilities.
 */
let knowing: TestQueue;
let older: TestQueue;
const channels = new Map<string, number>();

const capabilities = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'linkifier_url_template',
  'user_list_incomplete',
  'include_deactivated_groups',
  'archived_channels',
  'empty_topic_name',
  'simplified_presence_events',
  'individual_emoji_changes',
];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(name, id);
  const known = JSON.stringify(Object.fromEntries(capabilities.map((name) => [name, true])));
  [knowing, older] = await Promise.all([
    openTestEventQueue(chat, hamlet, [], { event_types: 'null', client_capabilities: known }),
    openTestEventQueue(chat, hamlet, [], { event_types: 'null' }),
  ]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

async function sendRequest(
  user: DemoUser,
  verb: 'post' | 'patch' | 'delete',
  path: string,
  fields: Json = {},
): Promise<Json> {
  const form = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const { body } = await user.client[verb]<Json>(`/api/v1/${path}`, { form: Object.fromEntries(form) });
  expect(body['msg']).toBe('');
  return body;
}

async function addEmoji(): Promise<void> {
  const picture = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const head = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.gif"\r\n\r\n';
  const payload = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--b--\r\n')]);
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const { body } = await iago.client.post<Json>('/api/v1/realm/emoji/named', { headers, payload });
  expect(body['msg']).toBe('');
}

async function comeBack(): Promise<void> {
  await chat.runtime.database.query(
    `UPDATE presences SET last_active_at = now() - interval '1 hour', last_connected_at = now() - interval '1 hour'
     WHERE user_id = $1`,
    [iago.id],
  );
  await sendRequest(iago, 'post', 'users/me/presence', { status: 'active' });
}

/** Returns the events that each of the two clients has received since the previous call. */
async function fetchEventsOfBoth(): Promise<{ knowing: Json[]; older: Json[] }> {
  const [ofKnowing, ofOlder] = await Promise.all([knowing.read(), older.read()]);
  return { knowing: ofKnowing, older: ofOlder };
}

interface Case {
  readonly type: string;
  readonly cause: () => Promise<unknown>;
  readonly known: readonly object[];
  /**
   * Events that the client without declared capabilities is expected to receive. If absent, the expected events of both
   * clients are equal.
   */
  readonly old?: readonly object[];
}

const later = { scheduled_delivery_timestamp: 4_000_000_000 };
const direct = { message_type: 'direct', sender: { user_id: expect.any(Number) } };

const cases: Case[] = [
  {
    type: 'message',
    cause: () => send(iago, { content: 'named' }),
    known: [{ flags: [], message: { sender_id: expect.any(Number), content: 'named', subject: 'events' } }],
  },
  {
    type: 'subscription',
    cause: () => sendRequest(hamlet, 'post', 'users/me/subscriptions', { subscriptions: [{ name: 'Scotland' }] }),
    known: [{ op: 'add', subscriptions: [{ name: 'Scotland' }] }],
  },
  {
    type: 'realm_user',
    cause: () => sendRequest(iago, 'post', 'bots', { full_name: 'Named', short_name: 'named' }),
    known: [{ op: 'add', person: { full_name: 'Named', is_bot: true } }],
  },
  {
    type: 'typing',
    cause: async () => {
      const to = [hamlet.id];
      await sendRequest(iago, 'post', 'typing', { op: 'start', to });
      await sendRequest(iago, 'post', 'typing', { op: 'stop', to });
    },
    known: [
      { op: 'start', ...direct },
      { op: 'stop', ...direct },
    ],
  },
  {
    type: 'drafts',
    cause: () => sendRequest(hamlet, 'post', 'drafts', { drafts: [{ type: '', to: [], topic: '', content: 'named' }] }),
    known: [{ op: 'add', drafts: [{ content: 'named' }] }],
  },
  {
    type: 'delete_message',
    cause: async () => {
      await Promise.all([send(iago, { topic: 'doomed' }), send(iago, { topic: 'doomed' })]);
      await sendRequest(iago, 'post', `streams/${channels.get('Verona')}/delete_topic`, { topic_name: 'doomed' });
    },
    known: [{ message_type: 'stream', message_ids: [expect.any(Number), expect.any(Number)] }],
    old: [{ message_id: expect.any(Number) }, { message_id: expect.any(Number) }],
  },
  {
    type: 'presence',
    cause: comeBack,
    known: [{ presences: expect.any(Object) }],
    old: [{ user_id: expect.any(Number), presence: { website: { status: 'active' } } }],
  },
  {
    type: 'realm_emoji',
    cause: async () => {
      await addEmoji();
      await sendRequest(iago, 'delete', 'realm/emoji/named');
    },
    known: [
      { op: 'add', emoji: { name: 'named' } },
      { op: 'update_one', emoji_id: expect.any(String), data: { deactivated: true } },
    ],
    old: [
      { op: 'update', realm_emoji: expect.any(Object) },
      { op: 'update', realm_emoji: expect.any(Object) },
    ],
  },
  {
    type: 'realm_linkifiers',
    cause: () =>
      sendRequest(iago, 'post', 'realm/filters', { pattern: 'N(?P<n>[0-9]+)', url_template: 'https://n.test/{n}' }),
    known: [{ realm_linkifiers: expect.arrayContaining([expect.objectContaining({ pattern: 'N(?P<n>[0-9]+)' })]) }],
    old: [],
  },
  {
    type: 'scheduled_messages',
    cause: async () => {
      const form = { type: 'channel', to: channels.get('Verona'), topic: 'later', content: 'named', ...later };
      const { scheduled_message_id: id } = await sendRequest(hamlet, 'post', 'scheduled_messages', form);
      await sendRequest(hamlet, 'patch', `scheduled_messages/${String(id)}`, { content: 'changed' });
      await sendRequest(hamlet, 'delete', `scheduled_messages/${String(id)}`);
    },
    known: [
      { op: 'add', scheduled_messages: [{ type: 'stream', topic: 'later', content: 'named', failed: false }] },
      { op: 'update', scheduled_message: { topic: 'later', content: 'changed' } },
      { op: 'remove', scheduled_message_id: expect.any(Number) },
    ],
  },
  {
    type: 'reminders',
    cause: async () => {
      const message = await send(hamlet, { content: 'to be reminded of' });
      const { reminder_id: id } = await sendRequest(hamlet, 'post', 'reminders', { message_id: message, ...later });
      await sendRequest(hamlet, 'delete', `reminders/${String(id)}`);
    },
    known: [
      { op: 'add', reminders: [{ type: 'private', reminder_target_message_id: expect.any(Number), failed: false }] },
      { op: 'remove', reminder_id: expect.any(Number) },
    ],
  },
  {
    type: 'user_settings',
    cause: () => sendRequest(hamlet, 'patch', 'settings', { web_font_size_px: 19 }),
    known: [{ op: 'update', property: 'web_font_size_px', value: 19 }],
  },
];

describe('GET /events: documented event types', () => {
  it.each(cases)(
    'returns events to clients that fetch all event types: $type',
    async ({ type, cause, known, old = known }) => {
      await cause();
      const events = await fetchEventsOfBoth();
      const of = (all: readonly Json[]) => all.filter((event) => event['type'] === type);
      const typed = (all: readonly object[]) => all.map((event) => ({ type, ...event }));
      expect({ known: of(events.knowing), old: of(events.older) }).toMatchObject({
        known: typed(known),
        old: typed(old),
      });
    },
  );

  it('returns an update of first_message_id when the topic with the oldest message of a channel is deleted', async () => {
    const { database } = chat.runtime;
    const subscriptions = [{ name: 'named events' }];
    await sendRequest(iago, 'post', 'users/me/subscriptions', { subscriptions, principals: [iago.id, hamlet.id] });
    const { rows } = await database.query<{ id: number }>("SELECT id FROM channels WHERE name = 'named events'");
    const id = rows[0]?.id;
    await database.query('DELETE FROM messages USING recipients r WHERE r.id = recipient_id AND r.channel_id = $1', [
      id,
    ]);
    await send(iago, { to: 'named events', topic: 'first' });
    const second = await send(iago, { to: 'named events', topic: 'second' });
    await fetchEventsOfBoth();
    await sendRequest(iago, 'post', `streams/${id}/delete_topic`, { topic_name: 'first' });
    for (const events of Object.values(await fetchEventsOfBoth())) {
      expect(events.filter(({ type }) => type === 'stream')).toEqual([
        {
          type: 'stream',
          op: 'update',
          stream_id: id,
          name: 'named events',
          property: 'first_message_id',
          value: second,
        },
      ]);
    }
  });
});
