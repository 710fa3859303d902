import { listenOnFreePort } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEventWriter } from '../src/events/chat-events.js';
import { MessageReaders } from '../src/core/message-access/index.js';
import { deleteExpiredMessages } from '../src/features/message-retention/index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { collectingProcess, eventsWithDelta } from './expire-event-queues.js';
import { EventStream } from './event-stream.js';
import { MessageState } from './client-of-messages.js';
import { registerTestEventQueue, send } from './event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let url: string;
const users = new Map<string, DemoUser>();
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start(collectingProcess);
  ({ url } = await listenOnFreePort(chat.app));
  for (const name of ['iago', 'hamlet', 'cordelia', 'polonius']) users.set(name, await signIn(chat, name));
  const { rows } = await chat.runtime.database.query<{ id: number; name: string }>('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(name, id);
});
afterAll(() => cluster.stop());

const user = (name: string): DemoUser => users.get(name) ?? never(name);
const channel = (name: string): number => channels.get(name) ?? never(name);

function never(name: string): never {
  throw new Error(`There is no ${name}`);
}

type Json = Record<string, unknown>;

const types = [
  'message',
  'update_message',
  'update_message_flags',
  'delete_message',
  'starred_messages',
  'subscription',
];

const form = {
  event_types: JSON.stringify(types),
  client_capabilities: JSON.stringify({ bulk_message_deletion: true, empty_topic_name: true }),
};

/** Registers an event queue for the given user and opens the event stream of the queue. */
async function follow(name: string): Promise<EventStream> {
  const { email, apiKey } = user(name);
  const path = `/api/v1/events/stream?queue_id=${await registerTestEventQueue(user(name), form)}&last_event_id=-1`;
  return EventStream.open(`${url}${path}`, createBasicAuthorization(email, apiKey));
}

async function register(name: string): Promise<{ queueId: string; state: MessageState }> {
  const { body } = await user(name).client.post<Json>('/api/v1/register', { form });
  const state = new MessageState(user(name).id, body);
  return { queueId: String(body['queue_id']), state };
}

const edit = (name: string, id: number, form: Record<string, string | number | boolean>) =>
  user(name).client.patch(`/api/v1/messages/${id}`, { form });

function flag(name: string, op: string, what: string, ids: number[]) {
  const form = { op, flag: what, messages: JSON.stringify(ids) };
  return user(name).client.post('/api/v1/messages/flags', { form });
}

let verona: number;
let direct: number;
let denmark: number;

/**
 * Test actions. After each action, a client state computed from events is compared with a new snapshot. Each test
 * begins with three messages: to the channel Verona, to three users directly, and to Denmark with a mention of Iago.
 */
const actions: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['sending', () => send(user('hamlet'), { content: '@**all**' })],
  ['reading', () => flag('iago', 'add', 'read', [verona, direct])],
  [
    'reading, and not',
    async () => {
      await flag('iago', 'add', 'read', [verona, direct, denmark]);
      await flag('iago', 'remove', 'read', [denmark, direct]);
    },
  ],
  ['starring', () => flag('iago', 'add', 'starred', [denmark])],
  ['starring what was never received', () => flag('cordelia', 'add', 'starred', [denmark])],
  ['taking a mention away', () => edit('hamlet', denmark, { content: 'nobody' })],
  ['mentioning by an edit', () => edit('hamlet', verona, { content: '@**Iago** and @**aaron**' })],
  ['renaming a topic', () => edit('hamlet', verona, { topic: 'new name', propagate_mode: 'change_all' })],
  ['moving to a private channel', () => edit('hamlet', verona, { stream_id: channel('core team') })],
  ['moving to where some subscribe', () => edit('hamlet', verona, { stream_id: channel('Denmark') })],
  ['resolving a topic', () => edit('iago', denmark, { topic: '✔ events', propagate_mode: 'change_all' })],
  ['deleting', () => user('hamlet').client.delete(`/api/v1/messages/${direct}`)],
  [
    'deleting a topic',
    () =>
      user('iago').client.post(`/api/v1/streams/${channel('Denmark')}/delete_topic`, {
        form: { topic_name: 'events' },
      }),
  ],
  [
    'keeping messages no longer',
    async () => {
      const owner = await signIn(chat, 'desdemona');
      const { body } = await owner.client.patch<Json>('/api/v1/realm', { form: { message_retention_days: 1 } });
      expect(body['msg']).toBe('');
      const { database, eventLog, config, subscribers } = chat.runtime;
      const readers = new MessageReaders(subscribers);
      const clock = { ...chat.runtime.clock, now: () => Date.now() + 2 * 86_400_000 };
      const tools = { database, events: new ChatEventWriter(eventLog, config), readers, clock, batchSize: 7 };
      await deleteExpiredMessages(tools, new AbortController().signal);
    },
  ],
  [
    'subscribing others',
    () =>
      user('iago').client.post('/api/v1/users/me/subscriptions', {
        form: {
          subscriptions: JSON.stringify([{ name: 'Scotland' }, { name: 'new here' }]),
          principals: JSON.stringify([user('polonius').id, user('cordelia').id]),
        },
      }),
  ],
  [
    'changing a channel',
    () =>
      user('iago').client.patch(`/api/v1/streams/${channel('Verona')}`, {
        form: { new_name: 'Padua', description: 'moved', message_retention_days: 'unlimited' },
      }),
  ],
  ['marking all as read', () => user('iago').client.post('/api/v1/mark_all_as_read')],
  [
    'marking a topic as read',
    () =>
      user('iago').client.post('/api/v1/mark_topic_as_read', {
        form: { stream_id: channel('Verona'), topic_name: 'events' },
      }),
  ],
];

describe('messages that a client updates from events', () => {
  it.each(actions)('equal a fresh snapshot after %s', async (_name, act) => {
    verona = await send(user('hamlet'), {});
    direct = await send(user('hamlet'), { type: 'direct', to: JSON.stringify([user('iago').id, user('cordelia').id]) });
    denmark = await send(user('hamlet'), { to: 'Denmark', content: '@**Iago**' });
    await flag('iago', 'add', 'starred', [verona, direct]);
    const before = await Promise.all(
      [...users.keys()].map(async (name) => ({ name, ...(await register(name)), stream: await follow(name) })),
    );
    await act();
    await chat.runtime.eventLog.sweep();
    for (const { name, queueId, state, stream } of before) {
      const events = await eventsWithDelta(chat, user(name), { queueId, form });
      for (const event of events) state.apply(event);
      expect(state.toJSON(), name).toEqual((await register(name)).state.toJSON());
      // Later events of an action may arrive after the poll.
      await expect.poll(() => stream.events.length).toBeGreaterThanOrEqual(events.length);
      const streamed = stream.events.slice(0, events.length).map(({ id: _id, ...event }) => event);
      expect(streamed).toEqual(events.map(({ id: _id, ...event }) => event));
      stream.close();
    }
  });
});
