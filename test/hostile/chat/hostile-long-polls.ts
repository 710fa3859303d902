import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, send } from './list-hostile-calls.js';
import { adminCall, firstPoll, heldPoll, sentMessage } from './calls-with-preparation.js';

/** Hostile requests for `GET /events`: concurrent, abandoned and invalid polls. */
export const longPolls: HostileSubject = {
  subject: 'long polls',
  requests: [
    {
      title: '200 concurrent polls of one queue, each of which ends the previous one',
      statuses: [200],
      calls: async (session) => {
        const query = await firstPoll(session, ['message']);
        return numbers(200).map(() => heldPoll(query, 1_000));
      },
    },
    {
      title: 'polls of 50 queues whose clients disconnect after 50 ms, and a message to all of them',
      statuses: [200],
      calls: async (session) => {
        const queries = await Promise.all(numbers(50).map(() => firstPoll(session, ['message'])));
        const message = { type: 'channel', to: 'Verona', topic: 'hostile', content: 'to all' };
        return [...queries.map((query) => heldPoll(query, 50)), send('POST', 'messages', message)];
      },
    },
    {
      title: '100 polls of queues that do not exist',
      statuses: [400],
      calls: () => numbers(100).map((id) => get('events', { queue_id: `no-queue-${id}`, last_event_id: '-1' })),
    },
    {
      title: 'a poll that acknowledges an event that was never assigned',
      statuses: [400],
      calls: async (session) => {
        const query = await firstPoll(session, ['message']);
        return [get('events', { ...query, last_event_id: String(Number.MAX_SAFE_INTEGER), dont_block: 'true' })];
      },
    },
    {
      title: 'a registration whose narrow has 1,000 terms',
      statuses: [400],
      calls: () => {
        const narrow = JSON.stringify(numbers(1_000).map((id) => ['topic', `topic ${id}`]));
        return [send('POST', 'register', { event_types: '["message"]', narrow })];
      },
    },
    {
      title: 'a registration for 19,000 event types',
      statuses: [400],
      calls: () => [
        send('POST', 'register', { event_types: JSON.stringify(numbers(19_000).map((id) => `type${id}`)) }),
      ],
    },
    {
      title: 'four concurrent registrations that fetch everything',
      statuses: [200],
      calls: () => numbers(4).map(() => send('POST', 'register', { include_subscribers: 'true' })),
    },
    {
      title: 'ten submessages of 900 KB to a poll widget of another user',
      statuses: [400],
      calls: async (session) => {
        const asAdmin = await adminCall(session, get('users/me'));
        const id = await sentMessage(session, '/poll Which?', (call) => ({
          ...call,
          headers: { ...call.headers, ...asAdmin.headers },
        }));
        const content = JSON.stringify({ type: 'vote', key: 'x'.repeat(900_000) });
        return numbers(10).map(() =>
          send('POST', 'submessage', { message_id: String(id), msg_type: 'widget', content }),
        );
      },
    },
  ],
};
