import type { MeasuredOperation } from '../../measured-operation.js';
import { topicNamesOfBigChannel, nameOfLongTopic } from '../generated-messages.js';
import {
  specialChannelNumbers,
  getChannelName,
  getUserEmail,
  firstOrdinaryChannelNumber,
  firstOrdinaryUserNumber,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService, ChatRequestParameters } from '../measured-chat-service.js';

type MeasuredReaderName = 'light' | 'medium' | 'heavy' | 'backlog' | 'many' | 'guest';

/**
 * A narrow (message filter) of GET /messages, with its title in the results. A minus before an operator negates the
 * term.
 */
type TitledMessageNarrow = readonly [
  title: string,
  ...terms: (readonly [operator: string, operand: string | number])[],
];

const allPublicChannelsNarrowTerm = ['channels', 'public'] as const;
const ordinaryChannelName = getChannelName(firstOrdinaryChannelNumber);

/** Narrows (message filters) that are measured for every reader. */
const messageNarrowsForEveryReader: readonly TitledMessageNarrow[] = [
  ['all messages'],
  ['channel', ['channel', ordinaryChannelName]],
  ['topic', ['channel', ordinaryChannelName], ['topic', 'topic 9']],
  ['is:dm', ['is', 'dm']],
  ['is:starred', ['is', 'starred']],
  ['is:mentioned', ['is', 'mentioned']],
  ['is:unread', ['is', 'unread']],
  ['search:common', ['search', 'common']],
  ['search:scarce', ['search', 'scarce']],
];

/** Additional narrows (message filters), measured for the user who has received a fifth of all messages. */
const messageNarrowsOfHeavyReader: readonly TitledMessageNarrow[] = [
  ['long topic', ['channel', getChannelName(specialChannelNumbers.long)], ['topic', nameOfLongTopic]],
  ['topic without messages', ['channel', ordinaryChannelName], ['topic', 'nothing here']],
  ['wide channel', ['channel', getChannelName(specialChannelNumbers.wide)]],
  ['channel that is not subscribed', ['channel', getChannelName(firstOrdinaryChannelNumber + 60)]],
  ['channels:public', allPublicChannelsNarrowTerm],
  ['-channel', ['-channel', getChannelName(specialChannelNumbers.long)]],
  ['-topic', ['-topic', nameOfLongTopic]],
  ['topic alone', ['topic', 'topic 9']],
  ['dm', ['dm', getUserEmail(firstOrdinaryUserNumber + 1)]],
  ['dm-with', ['dm-with', getUserEmail(firstOrdinaryUserNumber + 1)]],
  ['group-pm-with', ['group-pm-with', getUserEmail(specialUserNumbers.medium)]],
  ['sender of many messages', ['sender', getUserEmail(firstOrdinaryUserNumber)]],
  ['sender of few messages', ['sender', getUserEmail(specialUserNumbers.rareSender)]],
  ['sender of messages that the reader lacks', ['sender', getUserEmail(specialUserNumbers.elsewhereSender)]],
  ['-sender', ['-sender', getUserEmail(firstOrdinaryUserNumber)]],
  ['sender in all channels', allPublicChannelsNarrowTerm, ['sender', getUserEmail(specialUserNumbers.rareSender)]],
  ['sender in a channel', ['channel', ordinaryChannelName], ['sender', getUserEmail(specialUserNumbers.rareSender)]],
  ['is:alerted', ['is', 'alerted']],
  ['is:followed', ['is', 'followed']],
  ['is:muted', ['is', 'muted']],
  ['is:resolved', ['is', 'resolved']],
  ['-is:unread', ['-is', 'unread']],
  ['-is:dm', ['-is', 'dm']],
  ['-is:resolved', ['-is', 'resolved']],
  ['-is:muted', ['-is', 'muted']],
  ['has:link', ['has', 'link']],
  ['has:image', ['has', 'image']],
  ['has:attachment', ['has', 'attachment']],
  ['has:reaction', ['has', 'reaction']],
  ['-has:link', ['-has', 'link']],
  ['has:link in all channels', allPublicChannelsNarrowTerm, ['has', 'link']],
  ['in:home', ['in', 'home']],
  ['mentions', ['mentions', getUserEmail(firstOrdinaryUserNumber)]],
  ['mentions in all channels', allPublicChannelsNarrowTerm, ['mentions', getUserEmail(firstOrdinaryUserNumber)]],
  ['is:unread in a channel', ['channel', getChannelName(specialChannelNumbers.long)], ['is', 'unread']],
  ['has:link of a sender', ['has', 'link'], ['sender', getUserEmail(firstOrdinaryUserNumber)]],
  ['id', ['id', 5000]],
  ['near', ['near', 5000]],
  ['with', ['with', 5000]],
  ['search:word that the reader lacks', ['search', 'elsewhere']],
  ['search:word of early messages', ['search', 'bygone']],
  ['search:word of one message', ['search', '"message 4711 "']],
  ['search:word without a hit', ['search', 'nonesuch']],
  ['search:phrase', ['search', '"common word7"']],
  ['search:two words', ['search', 'common elsewhere']],
  ['search:topic', ['search', 'rename']],
  ['search:common in all channels', allPublicChannelsNarrowTerm, ['search', 'common']],
  ['search:scarce in all channels', allPublicChannelsNarrowTerm, ['search', 'scarce']],
  ['search:elsewhere in a channel', ['channel', ordinaryChannelName], ['search', 'elsewhere']],
  ['search:common of a sender', ['search', 'common'], ['sender', getUserEmail(specialUserNumbers.rareSender)]],
  [
    'search:common in the long topic',
    ['channel', getChannelName(specialChannelNumbers.long)],
    ['topic', nameOfLongTopic],
    ['search', 'scarce'],
  ],
];

const newestMessagesAnchorParameters: ChatRequestParameters = { anchor: 'newest', num_before: 50, num_after: 0 };

/**
 * Anchors of the measured message pages, with their titles. Message ids and dates are from the middle of the history.
 */
const titledMessagePageAnchors: readonly (readonly [
  title: string,
  at: (world: MeasuredChatService) => ChatRequestParameters,
])[] = [
  ['oldest', () => ({ anchor: 'oldest', num_before: 0, num_after: 50 })],
  ['first_unread', () => ({ anchor: 'first_unread', num_before: 25, num_after: 25 })],
  ['id', ({ ids, size }) => ({ anchor: ids.message(Math.floor(size.messages / 2)), num_before: 25, num_after: 25 })],
  [
    'date',
    ({ ids, size }) => ({
      anchor: 'date',
      anchor_date: new Date(ids.filledAt - size.messages * 3000).toISOString(),
      num_before: 25,
      num_after: 25,
    }),
  ],
];

const messageNarrowsWithAnchors: readonly TitledMessageNarrow[] = [
  ['all messages'],
  ['long topic', ['channel', getChannelName(specialChannelNumbers.long)], ['topic', nameOfLongTopic]],
  ['channel', ['channel', ordinaryChannelName]],
  ['is:dm', ['is', 'dm']],
  ['is:unread', ['is', 'unread']],
  ['has:link', ['has', 'link']],
  ['sender of few messages', ['sender', getUserEmail(specialUserNumbers.rareSender)]],
  ['search:common', ['search', 'common']],
];

const measuredReaderNames: readonly MeasuredReaderName[] = ['light', 'medium', 'heavy', 'backlog', 'many', 'guest'];

function createMessagePageOperation(
  reader: MeasuredReaderName,
  [title, ...terms]: TitledMessageNarrow,
  anchor = 'newest',
  at = (_: MeasuredChatService) => newestMessagesAnchorParameters,
) {
  return {
    name: `${title.startsWith('search') ? 'search' : 'page'} ${reader}: ${title.replace(/^search:/, '')}, ${anchor}`,
    run: async (world) => {
      const narrow = JSON.stringify(terms.map(([operator, operand]) => ({ operator, operand })));
      await world.sendRequest(specialUserNumbers[reader], 'GET', '/messages', { ...at(world), narrow });
    },
  } satisfies MeasuredOperation<MeasuredChatService>;
}

/**
 * Measured operations that read a page of `GET /messages`, one operation for each pair of narrow and anchor. Names of
 * full-text searches have another prefix, because searches have a separate time limit.
 */
export const messagePageOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  ...measuredReaderNames.flatMap((reader) =>
    messageNarrowsForEveryReader.map((narrow) => createMessagePageOperation(reader, narrow)),
  ),
  ...messageNarrowsOfHeavyReader.map((narrow) => createMessagePageOperation('heavy', narrow)),
  ...(['heavy', 'backlog', 'medium'] as const).flatMap((reader) =>
    messageNarrowsWithAnchors.flatMap((narrow) =>
      titledMessagePageAnchors.map(([title, at]) => createMessagePageOperation(reader, narrow, title, at)),
    ),
  ),
  createMessagePageOperation('backlog', ['-is:unread', ['-is', 'unread']]),
  {
    name: 'page heavy: topic to move, newest',
    run: async (world) => {
      const narrow = [
        { operator: 'channel', operand: getChannelName(specialChannelNumbers.big) },
        { operator: 'topic', operand: topicNamesOfBigChannel[1] },
      ];
      await world.sendRequest(specialUserNumbers.heavy, 'GET', '/messages', {
        ...newestMessagesAnchorParameters,
        narrow,
      });
    },
  },
  {
    name: 'page heavy: flags of 1,000 messages in the middle (flags/narrow)',
    run: async (world, run) => {
      const anchor = world.ids.message(Math.floor(world.size.messages / 2));
      const change = { op: run % 2 === 0 ? 'add' : 'remove', flag: 'starred', narrow: [] };
      await world.sendRequest(specialUserNumbers.heavy, 'POST', '/messages/flags/narrow', {
        ...change,
        anchor,
        num_before: 500,
        num_after: 499,
      });
    },
  },
  {
    name: '30 searches at once by one member',
    runs: 1,
    run: async (world) => {
      const narrow = [{ operator: 'search', operand: 'elsewhere' }];
      // Searches of one user run in sequence. A search that waits too long is rejected with 503.
      const search = () =>
        world.sendRequest(
          specialUserNumbers.heavy,
          'GET',
          '/messages',
          { ...newestMessagesAnchorParameters, narrow },
          [503],
        );
      await Promise.all(Array.from({ length: 30 }, search));
    },
  },
];
