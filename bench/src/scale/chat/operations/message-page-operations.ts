import type { MeasuredOperation } from '../../measured-operation.js';
import { topicsOfBigChannel, longTopicName } from '../generated-messages.js';
import {
  specialChannelNumbers,
  getChannelName,
  getEmail,
  firstOrdinaryChannel,
  firstOrdinaryUser,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService, RequestParameters } from '../measured-chat-service.js';

type MeasuredReader = 'light' | 'medium' | 'heavy' | 'backlog' | 'many' | 'guest';

/**
 * A narrow (message filter) of GET /messages, with its title in the results. A minus before an operator negates the
 * term.
 */
type TitledNarrow = readonly [title: string, ...terms: (readonly [operator: string, operand: string | number])[]];

const allPublicChannels = ['channels', 'public'] as const;
const ordinaryChannelName = getChannelName(firstOrdinaryChannel);

/** Narrows (message filters) that are measured for every reader. */
const commonNarrows: readonly TitledNarrow[] = [
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
const narrowsOfHeavyReader: readonly TitledNarrow[] = [
  ['long topic', ['channel', getChannelName(specialChannelNumbers.long)], ['topic', longTopicName]],
  ['topic without messages', ['channel', ordinaryChannelName], ['topic', 'nothing here']],
  ['wide channel', ['channel', getChannelName(specialChannelNumbers.wide)]],
  ['channel that is not subscribed', ['channel', getChannelName(firstOrdinaryChannel + 60)]],
  ['channels:public', allPublicChannels],
  ['-channel', ['-channel', getChannelName(specialChannelNumbers.long)]],
  ['-topic', ['-topic', longTopicName]],
  ['topic alone', ['topic', 'topic 9']],
  ['dm', ['dm', getEmail(firstOrdinaryUser + 1)]],
  ['dm-with', ['dm-with', getEmail(firstOrdinaryUser + 1)]],
  ['group-pm-with', ['group-pm-with', getEmail(specialUserNumbers.medium)]],
  ['sender of many messages', ['sender', getEmail(firstOrdinaryUser)]],
  ['sender of few messages', ['sender', getEmail(specialUserNumbers.rareSender)]],
  ['sender of messages that the reader lacks', ['sender', getEmail(specialUserNumbers.elsewhereSender)]],
  ['-sender', ['-sender', getEmail(firstOrdinaryUser)]],
  ['sender in all channels', allPublicChannels, ['sender', getEmail(specialUserNumbers.rareSender)]],
  ['sender in a channel', ['channel', ordinaryChannelName], ['sender', getEmail(specialUserNumbers.rareSender)]],
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
  ['has:link in all channels', allPublicChannels, ['has', 'link']],
  ['in:home', ['in', 'home']],
  ['mentions', ['mentions', getEmail(firstOrdinaryUser)]],
  ['mentions in all channels', allPublicChannels, ['mentions', getEmail(firstOrdinaryUser)]],
  ['is:unread in a channel', ['channel', getChannelName(specialChannelNumbers.long)], ['is', 'unread']],
  ['has:link of a sender', ['has', 'link'], ['sender', getEmail(firstOrdinaryUser)]],
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
  ['search:common in all channels', allPublicChannels, ['search', 'common']],
  ['search:scarce in all channels', allPublicChannels, ['search', 'scarce']],
  ['search:elsewhere in a channel', ['channel', ordinaryChannelName], ['search', 'elsewhere']],
  ['search:common of a sender', ['search', 'common'], ['sender', getEmail(specialUserNumbers.rareSender)]],
  [
    'search:common in the long topic',
    ['channel', getChannelName(specialChannelNumbers.long)],
    ['topic', longTopicName],
    ['search', 'scarce'],
  ],
];

const newestAnchor: RequestParameters = { anchor: 'newest', num_before: 50, num_after: 0 };

/**
 * Anchors of the measured message pages, with their titles. Message ids and dates are from the middle of the history.
 */
const titledAnchors: readonly (readonly [title: string, at: (world: MeasuredChatService) => RequestParameters])[] = [
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

const anchoredNarrows: readonly TitledNarrow[] = [
  ['all messages'],
  ['long topic', ['channel', getChannelName(specialChannelNumbers.long)], ['topic', longTopicName]],
  ['channel', ['channel', ordinaryChannelName]],
  ['is:dm', ['is', 'dm']],
  ['is:unread', ['is', 'unread']],
  ['has:link', ['has', 'link']],
  ['sender of few messages', ['sender', getEmail(specialUserNumbers.rareSender)]],
  ['search:common', ['search', 'common']],
];

const measuredReaders: readonly MeasuredReader[] = ['light', 'medium', 'heavy', 'backlog', 'many', 'guest'];

function pageOperation(
  reader: MeasuredReader,
  [title, ...terms]: TitledNarrow,
  anchor = 'newest',
  at = (_: MeasuredChatService) => newestAnchor,
) {
  return {
    name: `${title.startsWith('search') ? 'search' : 'page'} ${reader}: ${title.replace(/^search:/, '')}, ${anchor}`,
    run: async (world) => {
      const narrow = JSON.stringify(terms.map(([operator, operand]) => ({ operator, operand })));
      await world.send(specialUserNumbers[reader], 'GET', '/messages', { ...at(world), narrow });
    },
  } satisfies MeasuredOperation<MeasuredChatService>;
}

/**
 * Measured operations that read a page of `GET /messages`, one operation for each pair of narrow and anchor. Names of
 * full-text searches have another prefix, because searches have a separate time limit.
 */
export const pageOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  ...measuredReaders.flatMap((reader) => commonNarrows.map((narrow) => pageOperation(reader, narrow))),
  ...narrowsOfHeavyReader.map((narrow) => pageOperation('heavy', narrow)),
  ...(['heavy', 'backlog', 'medium'] as const).flatMap((reader) =>
    anchoredNarrows.flatMap((narrow) => titledAnchors.map(([title, at]) => pageOperation(reader, narrow, title, at))),
  ),
  pageOperation('backlog', ['-is:unread', ['-is', 'unread']]),
  {
    name: 'page heavy: topic to move, newest',
    run: async (world) => {
      const narrow = [
        { operator: 'channel', operand: getChannelName(specialChannelNumbers.big) },
        { operator: 'topic', operand: topicsOfBigChannel[1] },
      ];
      await world.send(specialUserNumbers.heavy, 'GET', '/messages', { ...newestAnchor, narrow });
    },
  },
  {
    name: 'page heavy: flags of 1,000 messages in the middle (flags/narrow)',
    run: async (world, run) => {
      const anchor = world.ids.message(Math.floor(world.size.messages / 2));
      const change = { op: run % 2 === 0 ? 'add' : 'remove', flag: 'starred', narrow: [] };
      await world.send(specialUserNumbers.heavy, 'POST', '/messages/flags/narrow', {
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
      const search = () => world.send(specialUserNumbers.heavy, 'GET', '/messages', { ...newestAnchor, narrow }, [503]);
      await Promise.all(Array.from({ length: 30 }, search));
    },
  },
];
