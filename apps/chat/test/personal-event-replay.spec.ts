import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { collectingProcess, eventsWithDelta } from './expire-event-queues.js';
import { PersonalState } from './client-of-personal-data.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let polonius: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start(collectingProcess);
  [hamlet, iago, polonius] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'polonius'),
  ]);
  await chat.runtime.database.query(
    `ALTER TABLE message_texts ADD CONSTRAINT refused CHECK (content NOT LIKE '%${unsendable}%') NOT VALID`,
  );
});
afterAll(() => cluster.stop());

async function register(user: DemoUser): Promise<Json> {
  return (await user.client.post<Json>('/api/v1/register')).body;
}

/**
 * Registers a simulated client. Returns a function that applies the client's events and returns the client's state
 * together with the state of a new registration.
 */
async function watch(user: DemoUser) {
  const snapshot = await register(user);
  const state = new PersonalState(snapshot);
  return async () => {
    const queueId = String(snapshot['queue_id']);
    for (const event of await eventsWithDelta(chat, user, { queueId, form: {} })) state.apply(event);
    return { byEvents: state.toJSON(), afresh: new PersonalState(await register(user)).toJSON() };
  };
}

type Method = 'post' | 'patch' | 'delete';

/** Sends a request and checks that the response is a success. */
async function requestSuccessfully(user: DemoUser, method: Method, path: string, form: Json = {}): Promise<Json> {
  const encoded = Object.fromEntries(
    Object.entries(form).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const { body } = await user.client[method]<Json>(`/api/v1/${path}`, { form: encoded });
  expect(body['msg'], path).toBe('');
  return body;
}

/** Time at which scheduled messages and reminders are due that no test sends, in UNIX seconds. */
const later = 4_000_000_000;

async function findChannelId(stream: string): Promise<unknown> {
  return (await hamlet.client.get<Json>('/api/v1/get_stream_id', { query: { stream } })).body['stream_id'];
}

const schedule = (user: DemoUser, to: unknown, type: 'channel' | 'direct', at = later) =>
  requestSuccessfully(user, 'post', 'scheduled_messages', {
    type,
    to,
    topic: 'replay',
    content: '**later**',
    scheduled_delivery_timestamp: at,
  });

/** Adds a reminder of a message that Iago sends to the user. */
async function remind(user: DemoUser, note: string): Promise<Json> {
  const message = { type: 'direct', to: [user.id], content: 'hello' };
  const { id } = await requestSuccessfully(iago, 'post', 'messages', message);
  const form = { message_id: id, scheduled_delivery_timestamp: later, note };
  return requestSuccessfully(user, 'post', 'reminders', form);
}

/** Note that the database refuses in the text of a message, so that a reminder with the note cannot be sent. */
const unsendable = 'unsendable';

/**
 * Makes stored scheduled messages and reminders due by moving the scheduled time to the given number of seconds ago.
 * Waits until a worker has sent every one of them, or has marked the message as failed.
 */
async function makeDue(ids: readonly unknown[], secondsAgo: number): Promise<void> {
  const { database } = chat.runtime;
  await database.query(
    `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - make_interval(secs => $2),
       attempt_at = date_trunc('second', now()) - make_interval(secs => $2) WHERE id = ANY($1::int[])`,
    [ids, secondsAgo],
  );
  await waitFor(async () => {
    const pending = 'SELECT FROM scheduled_messages WHERE id = ANY($1::int[]) AND failure IS NULL';
    return (await database.query(pending, [ids])).rows.length === 0;
  });
}

const draft = { type: '', to: [], topic: '', content: 'begun' };

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  async 'drafts that come, change and go'() {
    const { ids } = await requestSuccessfully(hamlet, 'post', 'drafts', {
      drafts: [draft, { ...draft, timestamp: 5 }, draft],
    });
    const [first, second] = Array.isArray(ids) ? ids : [];
    await requestSuccessfully(hamlet, 'patch', `drafts/${first}`, {
      draft: { ...draft, content: 'further', timestamp: 7 },
    });
    await requestSuccessfully(hamlet, 'delete', `drafts/${second}`);
  },
  'drafts that are shared no more': () =>
    requestSuccessfully(hamlet, 'patch', 'settings', { enable_drafts_synchronization: false }),
  async 'snippets and views'() {
    const { saved_snippet_id: id } = await requestSuccessfully(hamlet, 'post', 'saved_snippets', {
      title: 'a',
      content: 'b',
    });
    await requestSuccessfully(hamlet, 'post', 'saved_snippets', { title: 'c', content: 'd' });
    await requestSuccessfully(hamlet, 'patch', `saved_snippets/${String(id)}`, { content: 'other' });
    await requestSuccessfully(hamlet, 'post', 'navigation_views', { fragment: 'inbox', is_pinned: true });
    await requestSuccessfully(hamlet, 'post', 'navigation_views', { fragment: 'x', is_pinned: true, name: 'X' });
    await requestSuccessfully(hamlet, 'patch', 'navigation_views/x', { is_pinned: false, name: 'Y' });
    await requestSuccessfully(hamlet, 'delete', 'navigation_views/inbox');
  },
  'onboarding steps': () =>
    requestSuccessfully(hamlet, 'post', 'users/me/onboarding_steps', { onboarding_step: 'intro_resolve_topic' }),
  async 'scheduled messages and reminders'() {
    const verona = await findChannelId('Verona');
    const { scheduled_message_id: first } = await schedule(hamlet, verona, 'channel');
    const { scheduled_message_id: second } = await schedule(hamlet, [iago.id], 'direct', later + 1);
    await schedule(hamlet, [hamlet.id], 'direct', later + 2);
    await requestSuccessfully(hamlet, 'patch', `scheduled_messages/${String(first)}`, {
      scheduled_delivery_timestamp: later + 9,
      topic: 'other',
    });
    await requestSuccessfully(hamlet, 'delete', `scheduled_messages/${String(second)}`);
    const { reminder_id: reminder } = await remind(hamlet, 'first');
    await remind(hamlet, 'second');
    await requestSuccessfully(hamlet, 'delete', `reminders/${String(reminder)}`);
  },
  async 'scheduled messages and reminders that are sent'() {
    const verona = await findChannelId('Verona');
    const { scheduled_message_id: toChannel } = await schedule(hamlet, verona, 'channel');
    const { scheduled_message_id: toUser } = await schedule(hamlet, [iago.id], 'direct');
    const { scheduled_message_id: ofAnother } = await schedule(polonius, [hamlet.id], 'direct');
    const { reminder_id: reminder } = await remind(hamlet, 'sent');
    await schedule(hamlet, [hamlet.id], 'direct');
    await makeDue([toChannel, toUser, ofAnother, reminder], 1);
  },
  async 'scheduled messages and reminders that cannot be sent'() {
    const left = { name: 'left before the delivery' };
    await requestSuccessfully(hamlet, 'post', 'users/me/subscriptions', { subscriptions: [left], invite_only: true });
    const { scheduled_message_id: forbidden } = await schedule(hamlet, await findChannelId(left.name), 'channel');
    await requestSuccessfully(hamlet, 'delete', 'users/me/subscriptions', { subscriptions: [left.name] });
    const { scheduled_message_id: late } = await schedule(hamlet, [iago.id], 'direct');
    const { reminder_id: reminder } = await remind(polonius, unsendable);
    await makeDue([forbidden], 1);
    await makeDue([late, reminder], 3_600);
    const failed = 'SELECT FROM scheduled_messages WHERE id = ANY($1::int[]) AND failure IS NOT NULL';
    expect((await chat.runtime.database.query(failed, [[forbidden, late, reminder]])).rows).toHaveLength(3);
    await requestSuccessfully(hamlet, 'patch', `scheduled_messages/${String(forbidden)}`, {
      scheduled_delivery_timestamp: later + 5,
    });
  },
  async 'settings, one’s own and by an administrator'() {
    await requestSuccessfully(hamlet, 'patch', 'settings', {
      color_scheme: 2,
      timezone: 'Europe/Berlin',
      web_home_view: 'recent',
    });
    const target_users = { user_ids: [hamlet.id, polonius.id] };
    await requestSuccessfully(iago, 'patch', 'settings', { target_users, color_scheme: 3, enter_sends: true });
    await requestSuccessfully(iago, 'patch', 'realm/user_settings_defaults', { enter_sends: true });
  },
  async 'statuses, and who is not shown as present'() {
    await requestSuccessfully(hamlet, 'post', 'users/me/status', { status_text: 'busy', emoji_name: 'car' });
    await requestSuccessfully(iago, 'post', `users/${hamlet.id}/status`, { emoji_name: '' });
    await requestSuccessfully(iago, 'post', 'users/me/status', { away: true });
    await requestSuccessfully(polonius, 'post', 'users/me/status', { status_text: 'behind the arras', away: true });
    await requestSuccessfully(polonius, 'post', 'users/me/status', { status_text: '', away: false });
  },
  async 'alert words and muted users'() {
    await requestSuccessfully(hamlet, 'post', 'users/me/alert_words', { alert_words: ['ghost', 'poison'] });
    await requestSuccessfully(hamlet, 'delete', 'users/me/alert_words', { alert_words: ['GHOST'] });
    await requestSuccessfully(hamlet, 'post', `users/me/muted_users/${polonius.id}`);
    await requestSuccessfully(hamlet, 'post', `users/me/muted_users/${iago.id}`);
    await requestSuccessfully(hamlet, 'delete', `users/me/muted_users/${polonius.id}`);
  },
  async 'profile fields, and what is said in them'() {
    const field = {
      name: 'Motto',
      field_type: 3,
      field_data: { a: { text: 'A', order: '1' }, b: { text: 'B', order: '2' } },
    };
    const { id } = await requestSuccessfully(iago, 'post', 'realm/profile_fields', field);
    await requestSuccessfully(hamlet, 'patch', 'users/me/profile_data', {
      data: [
        { id, value: 'a' },
        { id: 1, value: '*x*' },
      ],
    });
    await requestSuccessfully(iago, 'patch', `users/${polonius.id}`, { profile_data: [{ id, value: 'b' }] });
    const field_data = { b: { text: 'B', order: '1' } };
    await requestSuccessfully(iago, 'patch', `realm/profile_fields/${String(id)}`, {
      field_data,
      display_in_profile_summary: true,
    });
    await requestSuccessfully(hamlet, 'delete', 'users/me/profile_data', { data: [1] });
    await requestSuccessfully(iago, 'delete', `realm/profile_fields/${String(id)}`);
  },
};

describe('personal data that a client updates from events', () => {
  it.each(Object.keys(actions))('equal a fresh snapshot after %s', async (name) => {
    const watchers = await Promise.all([hamlet, iago, polonius].map(watch));
    await actions[name]?.();
    for (const compare of watchers) {
      const { byEvents, afresh } = await compare();
      expect(byEvents).toEqual(afresh);
    }
  });
});
