import { describe, expect, it } from 'vitest';
import { webhookFormats } from './formats/index.js';
import {
  formatBold,
  neutralizeMessageSideEffects,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownListItems,
  toPlainTextLine,
  encodeUrlSegment,
} from './format-payload-text.js';

const url = 'https://example.com/a';

describe('toMarkdownLine', () => {
  it.each(['~~~ quote', '````', '# a', '> a', '>a', '| a |', '* a', '- a', '+ a', '1. a', '2) a', '-'])(
    'prevents %j from starting a Markdown block',
    (text) => {
      expect(toMarkdownLine(text)).toBe(`\u200B${text}`);
      expect(formatMarkdownLink(text, null)).toBe(`\u200B${text}`);
      expect(toPlainTextLine(text)).toBe(text);
    },
  );

  it.each(['#7', '1.5', '-5', '*a*', '`a`', 'a > b'])('leaves %j unchanged', (text) => {
    expect(toMarkdownLine(text)).toBe(text);
  });

  it('removes characters that topics cannot contain', () => {
    expect(toPlainTextLine('a\u0378b\uFFFEc\u0001d\uD800e')).toBe('abcde');
  });
});

describe('formatMarkdownLink', () => {
  it('replaces brackets in the link text, so that the text contains no second link', () => {
    expect(formatMarkdownLink('Fix [login](https://evil.example)', url)).toBe(
      `[Fix (login)(https://evil.example)](${url})`,
    );
  });

  it('removes backslashes at the end of the link text', () => {
    expect(formatMarkdownLink('C:\\ \\', url)).toBe(`[C:](${url})`);
  });
});

describe('formatBold', () => {
  it('removes backslashes at the end of the text', () => {
    expect(formatBold('C:\\')).toBe('**C:**');
  });
});

describe('neutralizeMessageSideEffects', () => {
  it('prevents channel references in a text from becoming links', () => {
    expect(neutralizeMessageSideEffects('#**Verona>plan** #7')).toBe('#\u200B**Verona>plan** #7');
  });
});

describe('encodeUrlSegment', () => {
  it('cuts a long text without splitting a character', () => {
    expect(encodeUrlSegment(`${'x'.repeat(199)}😀`)).toBe(`${'x'.repeat(199)}%EF%BF%BD`);
  });
});

describe('formatMarkdownListItems', () => {
  it('renders only the shown items, and adds the number of omitted items', () => {
    const rendered: number[] = [];
    const text = formatMarkdownListItems([1, 2, 3, 4], (item) => `${rendered.push(item)}`, 2);
    expect(text).toBe('* 1\n* 2\n* … and 2 more');
    expect(rendered).toEqual([1, 2]);
  });
});

function textsOf(name: string, payload: unknown, header = ''): string[] {
  const format = webhookFormats.find((one) => one.name === name)!;
  const pending = format.read({ payload, header, options: {} });
  return pending.map((one) => one.render({ hasOwnTopic: true }).text);
}

describe('webhook formats', () => {
  const id = `\uD800${'😀'.repeat(200)}`;
  const repository = { name: 'router', full_name: 'acme/router', html_url: url };

  it.each([
    ['stripe', '', { type: 'charge.failed', data: { object: { object: 'charge', id } } }],
    ['stripe', '', { type: 'customer.discount.created', data: { object: { object: 'discount', coupon: { id } } } }],
    ['jira', '', { webhookEvent: 'jira:issue_deleted', issue: { key: id, self: `${url}/rest/api/2/1`, fields: {} } }],
    ['gitea', 'wiki', { action: 'edited', page: id, repository, sender: { login: 'ada' } }],
  ])('render links to objects of %s whose names contain unpaired surrogates', (name, header, payload) => {
    expect(textsOf(name, payload, header).join('')).toContain('/%EF%BF%BD%F0%9F%98%80');
  });

  it.each(['quote', 'spoiler', 'math', 'Python'])(
    'render stack traces of the Sentry platform %j in a code block, not in a special block',
    (platform) => {
      const frames = [{ filename: 'a.py', context_line: 'go()' }];
      const error = { title: 'Bad', platform, exception: { values: [{ stacktrace: { frames } }] } };
      const fence = platform === 'Python' ? '```python' : '```';
      expect(textsOf('sentry', { data: { error } })[0]).toContain(`${fence}\n--> go()\n\`\`\``);
    },
  );
});
