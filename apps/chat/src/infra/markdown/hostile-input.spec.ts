import { describe, expect, it } from 'vitest';
import { compileLinkifier, LinkifierWorkBudget, findLinksOfLinkifier } from './linkifiers.js';
import { MessageRenderer } from './message-renderer.js';
import { emptyResolvedMessageReferences } from './resolved-names.js';
import { defaultRealmMarkdownSettings } from './realm-markdown-content.js';
import { findTopicLinks } from './topic-links.js';

const renderer = new MessageRenderer();

/** Maximum length of a message in characters. */
const maxMessageLength = 10_000;

/**
 * Time limit in milliseconds for rendering a message in the test, generous enough for a busy machine. Rendering with
 * quadratic time in the message length would exceed the limit.
 */
const longestMs = 1500;

const pieces: readonly string[] = [
  ...'*_~`[](){}<>@#$:!|\\&"\'=-+.,;?/^%0aé🙂\n',
  '**',
  '***',
  '~~',
  '``',
  '```\n',
  '~~~\n',
  '![',
  '](',
  '[](',
  '[a](b',
  '[[',
  ']]',
  '![](',
  '<<',
  '<a',
  '</',
  '<!--',
  '> ',
  '>',
  '- ',
  '-\n',
  '1. ',
  '  - ',
  '# ',
  '    a\n',
  '\t',
  '|',
  '|a',
  '|-|\n',
  'a|b\n-|-\n',
  '---\n',
  '\n\n',
  ' \n',
  '@**',
  '@*',
  '@_**',
  '@**a',
  '@**a**',
  '@**a|1**',
  '#**',
  '#**a>',
  '#**a>b@',
  '#**a>b**',
  ':a',
  ':a:',
  ':smile:',
  '::',
  ':)',
  '$$',
  '$$x',
  '$$x$$',
  '$$\\frac{',
  '<time:',
  '<time:a>',
  'a@',
  'a@b',
  'a@b.c',
  'a.',
  'a.b',
  'www.',
  'http:',
  'http://',
  'http://a',
  'https://a.b/(',
  'https://a.b/*',
  '&amp;',
  '&#',
  '&a',
  '🇩',
  '👨‍',
  '❤️',
  '1️⃣',
  '🏴󠁧',
  'a*b',
  '*a_',
  '**a*',
  'a**b',
  '*a **b ',
  '~~a~',
  '[a]:b\n',
  '`a',
  '`a``',
  '```quote\n',
  '~~~quote\n',
  '```spoiler a\n',
  '````quote\n```\n',
  '> ```\n',
  '- ```\n',
  '> - ',
  '1. > ',
  '* - + ',
  '> > \n',
  '```quote\n- ',
];

const wholes: Readonly<Record<string, string>> = {
  'nested brackets': '['.repeat(5000) + ']'.repeat(5000),
  'nested links': '[a'.repeat(2500) + '](b)'.repeat(1200),
  'nested emphasis': '*a '.repeat(1600) + ' a*'.repeat(1600),
  'strong in emphasis': '*a**b'.repeat(2000),
  'runs of backticks that grow': Array.from({ length: 140 }, (_, size) => '`'.repeat(size)).join(' '),
  'a wide table': `|${'a|'.repeat(1600)}\n|${'-|'.repeat(1600)}\n|${'b|'.repeat(1600)}`,
  'a wide table with many short rows': `|${'a|'.repeat(800)}\n|${'-|'.repeat(800)}\n${'|\n'.repeat(3300)}`,
  'a long table': `|a|\n|-|\n${'|b|\n'.repeat(2450)}`,
  'quotes within quotes': `${'```quote\n'.repeat(550)}x\n${'```\n'.repeat(1200)}`,
  'quotes whose fences shrink': Array.from({ length: 90 }, (_, size) => `${'`'.repeat(95 - size)}quote\n`).join(''),
  'a list in a list': Array.from({ length: 130 }, (_, depth) => `${' '.repeat(depth)}- a\n`).join(''),
  'a formula of many macros': `$$\\def\\a{${'x'.repeat(900)}}${'\\a'.repeat(40)}$$`,
  'a formula of a wide matrix': `$$\\begin{matrix}${'a&'.repeat(480)}\\end{matrix}$$`,
  'many formulas': '$$\\sum_a^b$$ '.repeat(830),
  'nested formulas': `$$${'\\sqrt{'.repeat(140)}x${'}'.repeat(140)}$$`,
};

function milliseconds(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

describe('rendering of the longest possible message', () => {
  it.each(pieces.map((piece) => [JSON.stringify(piece), piece]))(
    'takes bounded time when the message consists of repetitions of %s',
    (_name, piece) => {
      const repeated = piece.repeat(Math.ceil(maxMessageLength / piece.length)).slice(0, maxMessageLength);
      expect(milliseconds(() => renderer.renderPlain(repeated))).toBeLessThan(longestMs);
    },
  );

  it.each(Object.entries(wholes))('takes bounded time when the message is %s', (_name, source) => {
    expect(milliseconds(() => renderer.renderPlain(source.slice(0, maxMessageLength)))).toBeLessThan(longestMs);
  });

  it.each([
    'py',
    'c',
    'java',
    'php',
    'js',
    'ts',
    'md',
    'perl',
    'sql',
    'bash',
    'ini',
    'kotlin',
    'swift',
    'csharp',
    'json',
  ])('takes bounded time when the message is %s', (language) => {
    for (const piece of ['a', '0', '_', '"', '(', '$', '\n', '/*', 'a.', 'a(', '1e', '<a ', '\\', "'''", '${', 'A ']) {
      const code = piece.repeat(maxMessageLength).slice(0, maxMessageLength - 20);
      const inLines = code.replaceAll(/[^\n]{299}/g, '$&\n').slice(0, maxMessageLength - 20);
      const took = milliseconds(() => {
        for (const text of [code, inLines]) renderer.renderPlain(`\`\`\`${language}\n${text}\n\`\`\``);
      });
      expect([piece, took < longestMs]).toEqual([piece, true]);
    }
  });

  it.each([
    ['(?P<id>(a+)+)', 'a'],
    ['(?P<id>(a|a)*b)', 'a'],
    ['#(?P<id>.*)x', '#'],
    ['(?P<id>[a-z]{1,50}[a-z]{1,50}#)', 'a'],
    ['(?P<id>a)', 'a '],
    ['(?P<id>x)(?:.*y#)?(?:.*z#)?(?:.*w#)?', 'x '],
    [`(?P<id>${'[a-z ]{0,200}'.repeat(7)})[#!]`, 'a '],
    [String.raw`(?P<id>(?:\pL*\pN*){300})[#!]`, 'a'],
  ])('matches the linkifier pattern %s in bounded time', (pattern, piece) => {
    const linkifiers = Array.from({ length: 5 }, () => compileLinkifier(pattern, 'https://x.org/{id}'));
    const source = piece.repeat(maxMessageLength).slice(0, maxMessageLength);
    const took = milliseconds(() =>
      renderer.render(
        renderer.parse(source, { ...defaultRealmMarkdownSettings, linkifiers }),
        emptyResolvedMessageReferences,
      ),
    );
    expect(took).toBeLessThan(longestMs);
  });

  it('stops creating links when the time for linkifiers is used up, also inside a regular expression group', () => {
    let reads = 0;
    const budget = new LinkifierWorkBudget(() => (reads += 10));
    const linkifier = compileLinkifier('(?P<id>x)(?:.*y#)?', 'https://x.org/{id}');
    expect([...findLinksOfLinkifier(linkifier, 'x '.repeat(100), budget)]).toHaveLength(6);
    expect([...findLinksOfLinkifier(linkifier, 'x', budget)]).toEqual([]);
  });

  it('stops creating links when a linkifier with a large pattern uses up its budget', () => {
    const linkifier = compileLinkifier(`x(?:${'[a-z]{0,200}'.repeat(7)}#)?`, 'https://x.org/');
    const budget = new LinkifierWorkBudget(() => 0);
    const found = [...findLinksOfLinkifier(linkifier, 'x '.repeat(5000), budget)];
    expect(found.length).toBeGreaterThan(50);
    expect(found.at(-1)?.end).toBeLessThan(300);
  });

  it('omits the link whose search exceeds the budget of linkifiers', () => {
    const linkifier = compileLinkifier(`x(?:${'[a-z]{0,200}'.repeat(7)})`, 'https://x.org/');
    expect([...findLinksOfLinkifier(linkifier, `x${'y'.repeat(5000)}`, new LinkifierWorkBudget(() => 0))]).toEqual([]);
  });

  it('leaves text unlinked when the URLs of its links would exceed the length limit', () => {
    const linkifiers = [compileLinkifier('(?P<id>a)', `https://x.org/${'y'.repeat(1_900)}{id}`)];
    const { html } = renderer.render(
      renderer.parse('a '.repeat(5000), { ...defaultRealmMarkdownSettings, linkifiers }),
      emptyResolvedMessageReferences,
    );
    expect(html.length).toBeLessThan(400_000);
    expect(html.match(/<a /g)?.length).toBeGreaterThan(100);
  });

  it('shares one time budget for linkifiers among all topics of a response', () => {
    let reads = 0;
    const budget = new LinkifierWorkBudget(() => (reads += 10));
    const linkifiers = [compileLinkifier('(?P<id>x)', 'https://x.org/{id}')];
    const found = Array.from({ length: 10 }, (_, index) => findTopicLinks(`x topic ${index}`, linkifiers, budget));
    expect(found.map((links) => links.length)).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it.each([
    ['repetitions of a long group', `(?:${'[a-z]?'.repeat(160)}){1000}`],
    ['repetitions within repetitions', '(?:(?:a{100}){10}b){9}(?:c{1000}d{1000}){3}'],
  ])('rejects linkifiers with %s before the pattern is compiled', (_name, pattern) => {
    const took = milliseconds(() =>
      expect(() => compileLinkifier(pattern, 'https://x.org/')).toThrow('Pattern is too complex'),
    );
    expect(took).toBeLessThan(1_000);
  });

  it('produces HTML of less than a hundred times the maximum message length', () => {
    for (const source of ['$$x+x$$ ', ':smile:', '@**all** ', '> ', '```py\n1\n```\n', '|a']) {
      const repeated = source.repeat(maxMessageLength).slice(0, maxMessageLength);
      expect(renderer.renderPlain(repeated).length).toBeLessThan(100 * maxMessageLength);
    }
  });
});
