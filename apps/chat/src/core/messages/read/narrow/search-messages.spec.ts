import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;
const ids = new Map<string, number>();

const texts = {
  running: 'They were **running** to the `old-house`, don’t ask',
  path: 'See https://wiki.example.com/handbook/on-call.md and version 2.17',
  tokyo: '東京都に行くならPostgreSQLで検索',
  kyoto: '京都と東北',
  russian: 'Привет, дорогой мир',
  accents: 'A naïve CAFÉ in İzmir',
  signs: 'if a < b && c > d then 100% _done_ C++ \\o/ 🎉',
  stop: 'to be or not to be',
  thai: 'ภาษาไทยไม่มีช่องว่าง',
} as const;
type Name = keyof typeof texts;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
  for (const [name, content] of Object.entries(texts))
    ids.set(name, await send(name === 'stop' ? 'Hamlets' : 'x', content));
  ids.set('topic', await send('Running late', 'nothing of it here'));
});
afterAll(() => cluster.stop());

async function send(topic: string, content: string): Promise<number> {
  const form = { type: 'channel', to: 'Scotland', topic, content };
  return (await iago.client.post<{ id: number }>('/api/v1/messages', { form })).body.id;
}

interface Found {
  msg: string;
  code?: string;
  messages: { id: number; content: string; match_content?: string; match_subject?: string }[];
}

async function search(user: DemoUser, terms: unknown[], query: Record<string, string> = {}) {
  const narrow = JSON.stringify(terms);
  const { status, body } = await user.client.get<Found>('/api/v1/messages', {
    query: { anchor: 'newest', num_before: 100, num_after: 0, narrow, ...query },
  });
  return { status, body };
}

const term = (operand: unknown, negated = false) => ({ operator: 'search', operand, negated });
const scotlandTerm = { operator: 'channel', operand: 'Scotland' };

/**
 * Returns the names of the test messages that a search with the given operands finds, in the order in which the
 * messages were sent.
 */
async function names(...operands: string[]): Promise<string[]> {
  const { status, body } = await search(
    iago,
    operands.map((operand) => term(operand)),
  );
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  return body.messages.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0] ?? `message ${id}`);
}

describe('GET /messages: search (docs/contract/chat.md 5.4)', () => {
  it.each<[string, string[], (Name | 'topic')[]]>([
    ['words by their stems, in content and topic', ['runs'], ['running', 'topic']],
    ['all words, in any order and position', ['HOUSE running'], ['running']],
    ['messages that match several search terms', ['run', 'late'], ['topic']],
    ['parts of addresses and names', ['handbook call'], ['path']],
    ['numbers', ['2.17'], ['path']],
    ['stop words', ['to be or not'], ['stop']],
    ['quoted phrases exactly, in any letter case', ['"TO THE `OLD-h"'], ['running']],
    ['parts of words in quotation marks', ['"ndboo"'], ['path']],
    ['a quoted phrase together with a word', ['"not to" or'], ['stop']],
    ['words of scripts without spaces', ['東京'], ['tokyo']],
    ['two characters of such a script only if adjacent', ['京都'], ['tokyo', 'kyoto']],
    ['several characters of such a script only as a whole', ['東京都に'], ['tokyo']],
    ['no sequence whose character pairs are separate', ['京都東'], []],
    ['a single character of such a script', ['北'], ['kyoto']],
    ['a word in two scripts', ['PostgreSQLで'], ['tokyo']],
    ['a Latin word next to such a script', ['postgresql'], ['tokyo']],
    ['Thai words', ['ไม่มี'], ['thai']],
    ['words in other alphabets, in any letter case', ['ПРИВЕТ МИР'], ['russian']],
    ['parts of such words in quotation marks', ['"ОРОГО"'], ['russian']],
    ['letters with accents', ['café naÏve'], ['accents']],
    ['letters whose lower-case form is longer', ['"İZMİR"'], ['accents']],
    ['punctuation', ['&&'], ['signs']],
    ['characters of LIKE patterns literally', ['"100% _D"'], ['signs']],
    ['a backslash', ['"\\o/"'], ['signs']],
    ['nothing for a LIKE pattern', ['"_one"'], []],
    ['emoji', ['🎉'], ['signs']],
    ['a phrase without a closing quotation mark', ['"running'], ['running', 'topic']],
  ])('finds %s', async (_name, operands, expected) => {
    expect(await names(...operands)).toEqual(expected);
  });

  it('finds all messages without the search term if the term is negated', async () => {
    const { body } = await search(iago, [scotlandTerm, { operator: 'topic', operand: 'x' }, term('naive naïve', true)]);
    const found = body.messages.map(({ id }) => id);
    expect(found).toContain(ids.get('accents'));
    const without = await search(iago, [scotlandTerm, { operator: 'topic', operand: 'x' }, term('naïve', true)]);
    expect(without.body.messages.map(({ id }) => id)).toEqual(found.filter((id) => id !== ids.get('accents')));
    expect(without.body.messages[0]).toMatchObject({ match_content: expect.any(String), match_subject: 'x' });
  });

  it('finds edited messages by their new text only', async () => {
    const id = await send('x', 'a flamingo');
    await iago.client.patch(`/api/v1/messages/${id}`, { form: { content: 'a pelican' } });
    expect(await names('flamingo')).toEqual([]);
    expect(await names('pelicans')).toEqual([`message ${id}`]);
  });

  it('finds no messages of conversations that the reader is not in', async () => {
    const form = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'secretive walrus' };
    await iago.client.post('/api/v1/messages', { form });
    const found = async (user: DemoUser) => (await search(user, [term('walrus')])).body.messages.length;
    expect(await Promise.all([found(iago), found(hamlet), found(polonius)])).toEqual([1, 1, 0]);
  });
});

describe('GET /messages: search highlights (docs/contract/chat.md 5.1)', () => {
  const mark = (text: string): string => `<span class="highlight">${text}</span>`;

  async function match(name: string, operand: string, query: Record<string, string> = {}) {
    const { body } = await search(iago, [term(operand)], query);
    const found = body.messages.find(({ id }) => id === ids.get(name));
    return { content: found?.match_content, subject: found?.match_subject };
  }

  it.each<[string, string, string, string]>([
    ['words with the stem that was asked for', 'running', 'runs', `<strong>${mark('running')}</strong>`],
    ['words of a path, and not in its address', 'path', 'handbook', `example.com/${mark('handbook')}/on-call.md</a>`],
    ['texts without spaces', 'tokyo', '東京都', `${mark('東京都')}に行く`],
    ['phrases', 'russian', '"ой МИР"', `дорог${mark('ой мир')}`],
    ['signs, which HTML writes otherwise', 'signs', '"a < B"', mark('a &lt; b')],
    ['stop words', 'stop', 'be', `to ${mark('be')} or not to ${mark('be')}`],
  ])('highlights %s', async (_name, message, operand, expected) => {
    expect((await match(message, operand)).content).toContain(expected);
  });

  it('highlights matches in topics', async () => {
    expect(await match('topic', 'run')).toEqual({
      content: '<p>nothing of it here</p>',
      subject: `${mark('Running')} late`,
    });
  });

  it('highlights matches in HTML when the content is requested as Markdown', async () => {
    const { body } = await search(iago, [term('runs house')], { apply_markdown: 'false' });
    expect(body.messages[0]).toMatchObject({
      content: texts.running,
      match_content: expect.stringContaining(`<code>old-${mark('house')}</code>`),
    });
  });

  it('highlights nothing without a search term', async () => {
    const { body } = await search(iago, [scotlandTerm]);
    expect(body.messages.filter((message) => 'match_content' in message)).toEqual([]);
  });
});

describe('GET /messages: invalid searches', () => {
  it.each<[string, unknown, string]>([
    ['nothing', '', 'empty search'],
    ['empty quotes', '"" "  "', 'empty search'],
    ['a list', ['a'], 'invalid operand for search'],
    ['far too much', 'x'.repeat(1001), 'search of more than 1000 characters'],
    [
      'too many phrases',
      Array.from({ length: 101 }, (_, index) => `"${index}"`).join(' '),
      'search of more than 100 phrases',
    ],
  ])('rejects an invalid search: %s', async (_name, operand, desc) => {
    const { status, body } = await search(iago, [term(operand)]);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'BAD_NARROW', desc, msg: `Invalid narrow operator: ${desc}` },
    });
  });

  it.each([
    "'",
    "''':*",
    ':*',
    '& | !',
    '(',
    '\\',
    '%',
    '_',
    '"%"',
    "0'",
    'a:*',
    "東'",
    '"東\'"',
    '\uD800',
    '"\uDFFF"',
    '0',
    '<->',
    'a <2> b',
    '\u0301',
    'İ',
    '"İ"',
    '\u{1F468}\u200D\u{1F469}',
    'x'.repeat(1000),
    '漢'.repeat(1000),
    `"${'é '.repeat(400)}"`,
    '\u{10FFFF}',
  ])('never responds with a 5xx status to the search %j', async (operand) => {
    expect((await search(iago, [scotlandTerm, term(operand)])).status).toBe(200);
    expect((await search(iago, [scotlandTerm, term(operand, true)])).status).toBe(200);
  });
});

describe('GET /messages/matches_narrow', () => {
  async function matches(user: DemoUser, msgIds: number[], narrow: unknown[]) {
    const query = { msg_ids: JSON.stringify(msgIds), narrow: JSON.stringify(narrow) };
    return user.client.get<{ messages: Record<string, object>; code?: string }>('/api/v1/messages/matches_narrow', {
      query,
    });
  }

  it('responds BAD_NARROW when all search terms together have more than 1000 characters', async () => {
    const narrow = JSON.stringify([1, 2].map(() => ({ operator: 'search', operand: 'x'.repeat(600) })));
    const query = { narrow, anchor: 'newest', num_before: 1, num_after: 0 };
    const { body } = await hamlet.client.get('/api/v1/messages', { query });
    expect(body).toMatchObject({ code: 'BAD_NARROW', desc: 'search of more than 1000 characters' });
  });

  it('returns matching messages with matches highlighted', async () => {
    const [running, topic, other] = ['running', 'topic', 'path'].map((name) => ids.get(name) ?? 0);
    const { body } = await matches(iago, [running!, topic!, other!, 999_999_999], [term('run')]);
    expect(body.messages).toEqual({
      [running!]: { match_content: expect.stringContaining('class="highlight"'), match_subject: 'x' },
      [topic!]: { match_content: '<p>nothing of it here</p>', match_subject: expect.stringContaining('Running') },
    });
  });

  it('returns content and topic without highlights when the narrow contains no search term', async () => {
    const id = ids.get('stop') ?? 0;
    const { body } = await matches(iago, [id], [scotlandTerm]);
    expect(body.messages).toEqual({ [id]: { match_content: `<p>${texts.stop}</p>`, match_subject: 'Hamlets' } });
  });

  it('omits messages that the reader cannot see', async () => {
    const { body } = await matches(polonius, [...ids.values()], []);
    expect(body.messages).toEqual({});
  });

  it('rejects an invalid narrow even if the request contains no message ids', async () => {
    const { status, body } = await matches(iago, [], [{ operator: 'is', operand: 'green' }]);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'BAD_NARROW' });
  });
});
