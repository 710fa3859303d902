import type { HostileSubject } from '../hostile-request.js';
import { numbers, send } from './calls.js';

/** Bodies that name many items. */
export const bodiesOfManyItems: HostileSubject = {
  subject: 'bodies of many items',
  requests: [
    {
      title: 'flags of 50,000 messages that do not exist',
      statuses: [200, 400],
      calls: () => [
        send('POST', 'messages/flags', {
          messages: JSON.stringify(numbers(50_000).map((id) => id + 1_000_000)),
          op: 'add',
          flag: 'starred',
        }),
      ],
    },
  ],
};
