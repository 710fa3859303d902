import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealmOwnerAccount } from '../src/app/admin/accounts.js';
import { createRealm } from '../src/app/admin/create-realm.js';
import { allEventTypes } from '../src/app/slices.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import {
  type AudienceActions,
  audienceRows,
  audiencesElsewhere,
  type WatchedUser,
  watchedUsers,
} from './event-audience-table.js';
import { openTestEventQueue, type TestQueue } from './test-event-queue.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
const people = new Map<WatchedUser, DemoUser>();
const queues = new Map<WatchedUser, TestQueue>();

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
  const { database } = chat.runtime;
  await database.query('UPDATE users SET can_change_user_emails = true WHERE role = 100');
  for (const name of watchedUsers) if (name !== 'stranger') people.set(name, await signIn(chat, name));
  await database.query("UPDATE realms SET host = 'localhost' WHERE id = (SELECT realm_id FROM users LIMIT 1)");
  people.set('stranger', await addStranger());
  const known = JSON.stringify(Object.fromEntries(capabilities.map((name) => [name, true])));
  for (const [name, user] of people) {
    queues.set(name, await openTestEventQueue(chat, user, [], { event_types: 'null', client_capabilities: known }));
  }
});
afterAll(() => cluster.stop());

/** Creates a second organization and returns its owner. */
async function addStranger(): Promise<DemoUser> {
  const [host, email, password] = ['stranger.test', 'stranger@example.com', 'a good password'];
  await createRealm(chat.runtime, { stringId: 'strangers', name: 'Strangers', host, description: '' });
  const account = { realm: 'strangers', email, fullName: 'Stranger', password };
  const { id } = await createRealmOwnerAccount(chat.runtime, account);
  const visitor = chat.client.withHeaders({ host });
  const form = { username: email, password };
  const { body } = await visitor.post<{ api_key: string }>('/api/v1/fetch_api_key', { form });
  return {
    id,
    email,
    apiKey: body.api_key,
    client: visitor.withHeaders(createBasicAuthorization(email, body.api_key)),
  };
}

const actions: AudienceActions = {
  id: (user) => people.get(user)!.id,
  async send(user, method, path, fields = {}) {
    const form = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const request = { form: Object.fromEntries(form) };
    const { body } = await people.get(user)!.client[method]<Json>(`/api/v1/${path}`, request);
    expect(body['msg'], path).toBe('');
    return body;
  },
  async sendFile(user, path, form) {
    const { body } = await people.get(user)!.client.post<Json>(`/api/v1/${path}`, form);
    expect(body['msg'], path).toBe('');
    return body;
  },
  async find(table, name) {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      `SELECT o.id FROM ${table} o JOIN users u ON u.realm_id = o.realm_id WHERE u.id = $1 AND o.name = $2`,
      [people.get('iago')!.id, name],
    );
    return rows[0]!.id;
  },
  query: async (sql, values = []) => (await chat.runtime.database.query(sql, values)).rows,
};

/** Returns the names of the given event types of which a user has received an event since the last call. */
async function receivedTypes(user: WatchedUser, names: readonly string[]): Promise<string[]> {
  const events = await queues.get(user)!.read();
  return names.filter((name) => {
    const variants = allEventTypes.find((type) => type.name === name)?.variants ?? [];
    return events.some((event) => variants.some(({ schema }) => schema.safeParse(event).success));
  });
}

describe('GET /events: recipients', () => {
  it.each(audienceRows)(
    'returns $events to the user $receiver, and not to the user $other',
    async ({ events, receiver, other, cause }) => {
      for (const queue of queues.values()) await queue.read();
      await cause(actions);
      expect(await receivedTypes(receiver, events)).toEqual(events);
      expect(await receivedTypes(other, events)).toEqual([]);
    },
  );

  it('have a row in the table for every registered event type', () => {
    const tested = [...audienceRows.flatMap(({ events }) => events), ...Object.keys(audiencesElsewhere)];
    expect(tested.toSorted()).toEqual(allEventTypes.map(({ name }) => name).toSorted());
  });
});
