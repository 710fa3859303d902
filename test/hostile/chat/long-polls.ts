import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, send } from './calls.js';
import { adminCall, firstPoll, heldPoll, sentMessage } from './prepare.js';

/** Hostile requests to `GET /events`: concurrent, abandoned and invalid polls. */
export const longPolls: HostileSubject = {
  subject: 'long polls',
  requests: [
    {
      title: 'two hundred polls of one queue at once, each of which ends the one before',
      statuses: [200],
      calls: async (session) => {
        const query = await firstPoll(session, ['message']);
        return numbers(200).map(() => heldPoll(query, 1_000));
      },
    },
    {
      title: 'polls of fifty queues whose clients leave after 50 ms, and a message to all of them',
      statuses: [200],
      calls: async (session) => {
        const queries = await Promise.all(numbers(50).map(() => firstPoll(session, ['message'])));
        const message = { type: 'channel', to: 'Verona', topic: 'hostile', content: 'to all' };
        return [...queries.map((query) => heldPoll(query, 50)), send('POST', 'messages', message)];
      },
    },
    {
      title: 'a hundred polls of queues that do not exist',
      statuses: [400],
      calls: () => numbers(100).map((id) => get('events', { queue_id: `no-queue-${id}`, last_event_id: '-1' })),
    },
    {
      title: 'a poll that acknowledges an event far ahead',
      statuses: [400],
      calls: async (session) => {
        const query = await firstPoll(session, ['message']);
        return [get('events', { ...query, last_event_id: String(Number.MAX_SAFE_INTEGER), dont_block: 'true' })];
      },
    },
    {
      title: 'a queue whose narrow has 1,000 terms',
      statuses: [400],
      calls: () => {
        const narrow = JSON.stringify(numbers(1_000).map((id) => ['topic', `topic ${id}`]));
        return [send('POST', 'register', { event_types: '["message"]', narrow })];
      },
    },
    {
      title: 'a queue for 19,000 types of events',
      statuses: [400],
      calls: () => [
        send('POST', 'register', { event_types: JSON.stringify(numbers(19_000).map((id) => `type${id}`)) }),
      ],
    },
    {
      title: 'four queues with everything in their snapshots at once',
      statuses: [200],
      calls: () => numbers(4).map(() => send('POST', 'register', { include_subscribers: 'true' })),
    },
    {
      title: 'ten submessages of 900 KB on the poll of another user',
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
