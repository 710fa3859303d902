import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, send } from './list-hostile-calls.js';
import { adminCall } from './calls-with-preparation.js';

/** Hostile requests to chat whose bodies contain many items. */
export const bodiesOfManyItems: HostileSubject = {
  subject: 'bodies of many items',
  requests: [
    {
      title: 'flags of 50,000 messages that do not exist',
      statuses: [400],
      calls: () => [
        send('POST', 'messages/flags', {
          messages: JSON.stringify(numbers(50_000).map((id) => id + 1_000_000)),
          op: 'add',
          flag: 'starred',
        }),
      ],
    },
    {
      title: 'flags of one message that is named 19,000 times',
      statuses: [200, 400],
      calls: () => [
        send('POST', 'messages/flags', {
          messages: JSON.stringify(numbers(19_000).map(() => 1)),
          op: 'add',
          flag: 'starred',
        }),
      ],
    },
    {
      title: 'subscriptions to 1,500 new channels',
      statuses: [400],
      calls: () => [
        send('POST', 'users/me/subscriptions', {
          subscriptions: JSON.stringify(numbers(1_500).map((id) => ({ name: `hostile ${id}` }))),
        }),
      ],
    },
    {
      title: 'subscriptions of 2,000 people to 900 channels',
      statuses: [400],
      calls: () => [
        send('POST', 'users/me/subscriptions', {
          subscriptions: JSON.stringify(numbers(900).map((id) => ({ name: `crowded ${id}` }))),
          principals: JSON.stringify(numbers(2_000)),
        }),
      ],
    },
    {
      title: 'subscriptions by 19,000 addresses of no account',
      statuses: [400],
      calls: () => [
        send('POST', 'users/me/subscriptions', {
          subscriptions: '[{"name":"Verona"}]',
          principals: JSON.stringify(numbers(19_000).map((id) => `nobody${id}@example.com`)),
        }),
      ],
    },
    {
      title: '8,000 drafts',
      statuses: [400],
      calls: () => [
        send('POST', 'drafts', {
          drafts: JSON.stringify(numbers(8_000).map(() => ({ type: '', to: [], topic: '', content: 'x' }))),
        }),
      ],
    },
    {
      title: '200 drafts of 10,000 characters',
      statuses: [200],
      calls: () => [
        send('POST', 'drafts', {
          drafts: JSON.stringify(
            numbers(200).map(() => ({ type: '', to: [], topic: '', content: 'x'.repeat(10_000) })),
          ),
        }),
      ],
    },
    {
      title: 'a direct message to 30,000 addresses in one text',
      statuses: [400],
      calls: () => [
        send('POST', 'messages', {
          type: 'direct',
          to: numbers(30_000)
            .map((id) => `a${id}`)
            .join(','),
          content: 'x',
        }),
      ],
    },
    {
      title: 'a typing notification to 15,000 people',
      statuses: [400],
      calls: () => [send('POST', 'typing', { op: 'start', to: JSON.stringify(numbers(15_000)) })],
    },
    {
      title: 'a group of 19,000 members that do not exist',
      statuses: [400],
      calls: async (session) => {
        const form = {
          name: 'crowd',
          description: '',
          members: JSON.stringify(numbers(19_000).map((id) => id + 1_000)),
        };
        return [await adminCall(session, send('POST', 'user_groups/create', form))];
      },
    },
    {
      title: 'invitations of 9,000 addresses',
      statuses: [400],
      calls: async (session) => {
        const emails = numbers(9_000)
          .map((id) => `new${id}@example.com`)
          .join(',');
        return [await adminCall(session, send('POST', 'invites', { invitee_emails: emails, stream_ids: '[]' }))];
      },
    },
    {
      title: 'an alert word of 150,000 characters among short ones',
      statuses: [400],
      calls: () => [
        send('POST', 'users/me/alert_words', { alert_words: JSON.stringify(['a', 'x'.repeat(150_000), 'b']) }),
      ],
    },
    {
      title: 'a list nested 200,000 levels deep, with an escape in the middle',
      statuses: [400],
      calls: () => [
        send('POST', 'users/me/alert_words', {
          alert_words: `${'['.repeat(200_000)}"\\u0041"${']'.repeat(200_000)}`,
        }),
      ],
    },
    {
      title: 'an object of 100,000 keys in place of a list',
      statuses: [400],
      calls: () => [
        send('POST', 'typing', {
          op: 'start',
          to: JSON.stringify(Object.fromEntries(numbers(100_000).map((id) => [id, 0]))),
        }),
      ],
    },
    {
      title: 'a form of 40,000 fields that no endpoint knows',
      statuses: [400],
      calls: () => [send('POST', 'drafts', Object.fromEntries(numbers(40_000).map((id) => [`f${id}`, ''])))],
    },
    {
      title: 'messages by 1,800 ids, each of them the same',
      statuses: [200],
      calls: () => [get('messages', { message_ids: JSON.stringify(numbers(1_800).map(() => 1)) })],
    },
  ],
};
