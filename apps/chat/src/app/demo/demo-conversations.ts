import { demoChannels, demoPeople } from './demo-people.js';

/** A message of the demo realm: to a topic of a channel, or a direct message. */
export interface DemoMessage {
  readonly sender: string;
  readonly channel?: string;
  readonly topic?: string;
  readonly people?: readonly string[];
  readonly content: string;
}

/** Lines of the demo conversations by topic. Several demo channels contain the same conversation. */
const demoLinesByTopic: readonly (readonly [topic: string, lines: readonly string[]])[] = [
  [
    'release plan',
    [
      'Can we still ship on **Friday**?',
      'Two things are open:\n\n* the importer\n* the release notes',
      'The importer is done. Who writes the notes?',
      'I do. Draft comes this afternoon.',
      'Thanks! @**Iago** will you have a look before it goes out?',
    ],
  ],
  [
    'slow query',
    [
      'The report takes 4 seconds since yesterday.',
      '```sql\nSELECT channel_id, count(*) FROM messages GROUP BY channel_id;\n```\nThis is the one.',
      'There is no index that helps it. `EXPLAIN` shows a full scan.',
      'Added one, now it is 40 ms.',
      '~~Rolled back~~ Deployed.',
    ],
  ],
  ['lunch', ['Anybody for soup?', 'Me!', 'In ten minutes at the door.', '/me is already there']],
  [
    'reading list',
    [
      'Worth your time: https://www.rfc-editor.org/rfc/rfc9110',
      '> Well-behaved clients retry safe methods\n\nThat sentence alone explains last week.',
      'Added to the list.',
    ],
  ],
  [
    '✔ broken build',
    ['The build is red since noon.', 'Fixed, a test depended on the time of day.', 'Confirmed, green again.'],
  ],
  ['', ['Good morning!', 'Morning. Quiet in here today.']],
];

const demoDirectConversations: readonly (readonly [people: readonly string[], lines: readonly string[]])[] = [
  [
    ['hamlet', 'cordelia'],
    ['Did you see the new design?', 'Yes, I like it.', 'Shall we show it on Monday?', 'Deal.'],
  ],
  [
    ['iago', 'othello'],
    ['Do you have a minute?', 'Sure, call me.'],
  ],
  [
    ['iago', 'hamlet'],
    ['Your account can create channels now.', 'Thank you!'],
  ],
  [
    ['desdemona', 'iago', 'shiva'],
    ['Interview at three.', 'I bring the questions.', 'I book the room.'],
  ],
  [
    ['AARON', 'ZOE'],
    ['The outgoing bot needs a new address.', 'Changed.'],
  ],
  [['hamlet'], ['Remember to water the plants']],
];

/** Returns all messages of the demo realm, a few hundred, in the order in which they are sent. */
export function createDemoMessages(): DemoMessage[] {
  const inChannels = demoChannels.flatMap((channel, index) =>
    demoLinesByTopic
      .filter((_, topic) => (topic + index) % 3 !== 0)
      .flatMap((topic) => createDemoChannelMessages(channel, topic)),
  );
  const direct = demoDirectConversations.flatMap(([people, lines]) =>
    [0, 1].flatMap(() => assignLinesToSpeakers(people, lines).map((said) => ({ ...said, people }))),
  );
  return [...inChannels, ...direct];
}

function createDemoChannelMessages(
  channel: { readonly name: string; readonly members: readonly string[] },
  [topic, lines]: readonly [string, readonly string[]],
): DemoMessage[] {
  return assignLinesToSpeakers(channel.members, lines).map((said) => ({ ...said, channel: channel.name, topic }));
}

/** Assigns the lines of a demo conversation to the speakers alternately, so that each line has a sender. */
function assignLinesToSpeakers(
  speakers: readonly string[],
  lines: readonly string[],
): { sender: string; content: string }[] {
  return lines.map((content, index) => ({
    sender: speakers[(index + lines.length) % speakers.length] ?? demoPeople[0]?.name ?? '',
    content,
  }));
}
