import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chance } from '../../../../../test/random-numbers.js';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../../test/chat-server.js';
import { NarrowOracle, type OracleReader, type OracleTerm } from '../../../../../test/expected-narrow-results.js';
import { addRandomHistory, topics, words } from '../../../../../test/random-message-history.js';

/**
 * Seed of the random narrows (filters) that this test generates, from the environment variable NARROW_SEED. NARROW_RUNS
 * is the number of compared pages, which `npm run test:fuzz` raises.
 */
const seed = Number(process.env['NARROW_SEED'] ?? '') || Date.now() % 1_000_000_007;
const runs = Number(process.env['NARROW_RUNS'] ?? '') || 40;

const size = 2_500;
const random = chance(seed);
const randomBelow = (limit: number): number => Math.floor(random() * limit);
const randomItem = <T>(items: readonly T[]): T => items[randomBelow(items.length)]!;

interface Reader extends OracleReader {
  readonly name: string;
  readonly client: DemoUser['client'];
}

let cluster: ChatCluster;
let chat: ChatProcess;
let readers: readonly Reader[];
let userIds: readonly number[];
let oracle: NarrowOracle;

beforeAll(async () => {
  console.log(`NARROW_SEED=${seed}`);
  cluster = await chatCluster();
  chat = await cluster.start();
  const { database } = chat.runtime;
  await database.query(`UPDATE realms SET settings = settings || '{"enable_spectator_access": true}'`);
  await database.inTransaction((tx) => addRandomHistory(tx, random, size));
  await database.query('ANALYZE');
  const names = ['iago', 'hamlet', 'ZOE', 'polonius'];
  const users = await Promise.all(names.map((name) => signIn(chat, name)));
  readers = [
    ...users.map(({ id, client }, place) => ({
      id,
      client,
      name: names[place]!,
      isGuest: names[place] === 'polonius',
    })),
    { id: null, client: chat.client, name: 'nobody', isGuest: true },
  ];
  const { rows } = await database.query<{ id: number }>('SELECT id FROM users WHERE bot_type IS NULL ORDER BY id');
  userIds = rows.map(({ id }) => id);
  oracle = await NarrowOracle.load(database);
}, 60_000);
afterAll(() => cluster.stop());

const operandMakers: Readonly<Record<string, (reader: Reader) => OracleTerm['operand'] | undefined>> = {
  channel: (reader) => randomItem(oracle.channels.filter((channel) => oracle.isReadable(reader, channel))).id,
  channels: () => randomItem(['public', 'web-public', 'archived']),
  topic: () => randomItem(topics),
  dm: () => [randomItem(userIds), randomItem(userIds)].slice(0, 1 + randomBelow(2)),
  'dm-with': () => randomItem(userIds),
  'group-pm-with': () => randomItem(userIds),
  sender: () => randomItem(userIds),
  mentions: () => randomItem(userIds),
  is: () => randomItem(['dm', 'unread', 'starred', 'mentioned', 'alerted', 'resolved', 'followed', 'muted']),
  has: () => randomItem(['link', 'attachment', 'image', 'reaction']),
  id: () => randomItem(oracle.messages).id,
  search: () => randomItem([...words, `"${words[0]} ${words[1]}"`, '"walnu"']),
  in: () => randomItem(['home', 'all']),
};

const directMessageOperators = new Set(['dm', 'dm-with', 'group-pm-with']);
const withoutAccount = ['topic', 'has', 'search', 'id'];

/**
 * Returns random terms of a narrow (filter) that a single message can match. The terms name at most one channel, and no
 * channel together with direct messages.
 */
function anyNarrow(reader: Reader): OracleTerm[] {
  const first = { operator: 'channels', operand: 'web-public', negated: false };
  const terms: OracleTerm[] = reader.id === null ? [first] : [];
  for (let count = randomBelow(4); count > 0; count -= 1) {
    const operator = randomItem(reader.id === null ? withoutAccount : Object.keys(operandMakers));
    const negated = random() < 0.3;
    const isTaken = terms.some(
      (term) => !term.negated && (term.operator === 'channel' || directMessageOperators.has(term.operator)),
    );
    if (!negated && isTaken && (operator === 'channel' || directMessageOperators.has(operator))) continue;
    terms.push({ operator, operand: operandMakers[operator]?.(reader) ?? '', negated });
  }
  return terms;
}

interface Selection {
  readonly anchor: string;
  readonly date: number | null;
  readonly before: number;
  readonly after: number;
  readonly includeAnchor: boolean;
}

function anySelection(matching: readonly { readonly id: number }[]): Selection {
  const [before, after] = [randomItem([0, 1, 3, 20]), randomItem([0, 1, 3, 20])];
  const message = randomItem(oracle.messages);
  const date = random() < 0.15 ? message.sent_ms + randomBelow(2) : null;
  const near = matching.length > 0 ? String(randomItem(matching).id) : '0';
  const id = String(message.id + randomBelow(2));
  const anchor = randomItem(['newest', 'oldest', 'first_unread', near, near, id, '0', '999999999999']);
  const includeAnchor = (before > 0 && after > 0) || random() < 0.7;
  return { anchor: date === null ? anchor : 'date', date, before, after, includeAnchor };
}

/**
 * Returns the expected page of messages for a narrow (filter) and a message selection, as docs/contract/chat.md 5.5
 * requires.
 */
function expected(reader: Reader, terms: readonly OracleTerm[], selection: Selection) {
  const { anchor: asked, date, before, after, includeAnchor } = selection;
  const all = oracle.select(reader, terms);
  const newest = 10 ** 16;
  const places: Readonly<Record<string, () => number>> = {
    newest: () => newest,
    oldest: () => 0,
    first_unread: () => oracle.firstUnread(reader, terms)?.id ?? newest,
    date: () => all.find((message) => message.sent_ms >= (date ?? 0))?.id ?? newest,
  };
  const anchor = places[asked]?.() ?? Number(asked);
  const older = before === 0 ? [] : all.filter(({ id }) => id < anchor).slice(-before);
  const at = all.filter(({ id }) => id === anchor && includeAnchor);
  const newer = all.filter(({ id }) => id > anchor).slice(0, after);
  const shown = [...older, ...at, ...newer];
  return {
    anchor,
    found_anchor: at.length > 0,
    found_oldest: anchor === 0 || older.length < before,
    found_newest: anchor === newest || newer.length < after,
    ids: shown.map(({ id }) => id),
    unread: shown.filter((message) => ((oracle.flagsOf(reader, message) ?? 1) & 1) === 0).map(({ id }) => id),
  };
}

interface Page {
  readonly messages: readonly { readonly id: number; readonly flags: readonly string[] }[];
  readonly anchor: number;
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
}

async function read(reader: Reader, terms: readonly OracleTerm[], selection: Selection) {
  const query = {
    narrow: JSON.stringify(terms),
    anchor: selection.anchor,
    num_before: selection.before,
    num_after: selection.after,
    include_anchor: String(selection.includeAnchor),
    ...(selection.date !== null && { anchor_date: new Date(selection.date).toISOString() }),
  };
  const { status, body } = await reader.client.get<Page>('/api/v1/messages', { query });
  if (status !== 200) return body;
  const { messages, anchor, found_anchor, found_oldest, found_newest } = body;
  const unread = messages.filter(({ flags }) => !flags.includes('read')).map(({ id }) => id);
  return { anchor, found_anchor, found_oldest, found_newest, ids: messages.map(({ id }) => id), unread };
}

describe('GET /messages', () => {
  it('returns the same messages as a naive search, for random narrows and anchors', async () => {
    const cases = Array.from({ length: runs }, () => {
      const reader = randomItem(readers);
      const terms = anyNarrow(reader);
      return { reader, terms, selection: anySelection(oracle.select(reader, terms)) };
    });
    for (const { reader, terms, selection } of cases) {
      const told = `NARROW_SEED=${seed}: ${reader.name} ${JSON.stringify({ terms, selection })}`;
      expect(await read(reader, terms, selection), told).toEqual(expected(reader, terms, selection));
    }
  }, 600_000);

  it('returns only the messages of message_ids that match a random narrow', async () => {
    for (let run = 0; run < runs / 10; run += 1) {
      const reader = randomItem(readers);
      const terms = anyNarrow(reader);
      if (terms.length === 0) continue;
      const matching = oracle.select(reader, terms).map(({ id }) => id);
      const ids = [
        ...new Set([...matching.filter(() => random() < 0.2), ...userIds.map(() => randomItem(oracle.messages).id)]),
      ];
      const query = { message_ids: JSON.stringify(ids), narrow: JSON.stringify(terms) };
      const { body } = await reader.client.get<Page>('/api/v1/messages', { query });
      const told = `NARROW_SEED=${seed}: ${reader.name} ${JSON.stringify(terms)}`;
      const wanted = matching.filter((id) => ids.includes(id));
      expect(body.messages?.map(({ id }) => id) ?? body, told).toEqual(wanted);
    }
  }, 600_000);
});
