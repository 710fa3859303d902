import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, send } from './list-hostile-calls.js';

const window = { anchor: 'newest', num_before: '100', num_after: '0' };

function narrowedPage(terms: readonly object[]) {
  return () => [get('messages', { ...window, narrow: JSON.stringify(terms) })];
}

/** Hostile requests to chat with costly narrows (filters of messages). */
export const filters: HostileSubject = {
  subject: 'filters',
  requests: [
    {
      title: 'a narrow with the same topic 100 times',
      statuses: [200, 400],
      calls: narrowedPage(numbers(100).map(() => ({ operator: 'topic', operand: 'x' }))),
    },
    {
      title: 'a narrow with 90 negated searches',
      statuses: [200, 400],
      calls: narrowedPage(numbers(90).map((id) => ({ operator: 'search', operand: `w${id}`, negated: true }))),
    },
    {
      title: 'a narrow by a direct conversation of 1,500 ids',
      statuses: [200, 400],
      calls: narrowedPage([{ operator: 'dm', operand: numbers(1_500) }]),
    },
    {
      title: 'a narrow by one person who is named 1,500 times',
      statuses: [200, 400],
      calls: narrowedPage([{ operator: 'dm-including', operand: numbers(1_500).map(() => 10) }]),
    },
    {
      title: 'flags of all messages of a narrow whose operand has 100,000 characters',
      statuses: [200, 400],
      calls: () => [
        send('POST', 'messages/flags/narrow', {
          ...window,
          narrow: JSON.stringify([{ operator: 'search', operand: 'long '.repeat(20_000) }]),
          op: 'add',
          flag: 'starred',
        }),
      ],
    },
    {
      title: 'messages that match a narrow, 1,500 ids at once',
      statuses: [200, 400],
      calls: () => [
        get('messages/matches_narrow', {
          msg_ids: JSON.stringify(numbers(1_500)),
          narrow: '[{"operator":"has","operand":"link"}]',
        }),
      ],
    },
  ],
};
