import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLinkifier } from './linkifiers.js';
import { MessageRenderer } from './message-renderer.js';
import type { RealmMarkdownRenderingSettings } from './realm-markdown-content.js';
import { type ResolvedMessageReferences, emptyResolvedMessageReferences } from './resolved-names.js';

const renderer = new MessageRenderer();

const realm: RealmMarkdownRenderingSettings = {
  origins: ['https://chat.example.com'],
  linkifiers: [compileLinkifier('T(?P<what>\\S+)', 'https://t.example.com/{+what}')],
  customEmoji: new Map([['own', { sourceUrl: '/user_avatars/2/emoji/images/1.png' }]]),
  codeLanguage: 'python',
  showsMedia: true,
};

/** Name of a test user that contains HTML. A renderer that does not escape names would output a script. */
const hostile = '"><script>alert(1)</script>';
const names: ResolvedMessageReferences = {
  ...emptyResolvedMessageReferences,
  users: new Map([['Ada', { id: 5, fullName: hostile }]]),
  groups: new Map([['devs', { id: 3, name: hostile }]]),
  channels: new Map([['design', { id: 5, name: hostile }]]),
  translatesEmoticons: true,
  uploads: new Map([['/user_uploads/2/v.mp4', { kind: 'video' }]]),
};

const pieces = [
  '<script>',
  '<img src=x onerror=alert(1)>',
  '</p>',
  '<!--',
  '"',
  "'",
  '&',
  '&lt;',
  '<',
  '>',
  '](javascript:x)',
  '](data:x)',
  '[a](https://z.org "',
  '[a](',
  ')',
  '![b](/user_uploads/2/v.mp4)',
  '[v](/user_uploads/2/v.mp4)',
  '@**Ada**',
  '@*devs*',
  '#**design>',
  '#**design**',
  ':own:',
  ':smile:',
  ':)',
  '🙂',
  'T"x',
  'https://z.org/"',
  '<https://z.org/">',
  '<time:"><b>',
  '<time:2026-01-02>',

  '**',
  '*',
  '~~',
  '`',
  '\n',
  '\n\n',
  '```',
  '```quote\n',
  '```spoiler "<b>\n',
  '```py\n',

  '> ',
  '- ',
  '|a|\n|-|\n',
  '# ',
  '    ',
  '---\n',
  'a',
  ' ',
  '\\',
  '\u0000',
  '\uD800',
  'javascript:alert(1)',
  'www.z.org',
  'a@z.org',
];

/** Generates random Markdown without formulas, because KaTeX uses other tags. */
const source = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), { maxLength: 40 })
  .map((parts) => parts.join('').replaceAll('$', ''));

const ends: ReadonlySet<string> = new Set(['br', 'hr', 'img']);
const tags = new Set(
  'a audio blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong table tbody td th thead time tr ul video'.split(
    ' ',
  ),
);
const attributes = new Set(
  'alt aria-hidden aria-label class controls data-code-language data-stream-id data-user-group-id data-user-id datetime href preload role src start style title'.split(
    ' ',
  ),
);

/** Returns all tags in an HTML text. Assumes that texts and attribute values are escaped. */
function tagsOf(html: string): { name: string; isEnd: boolean; attributes: [string, string][] }[] {
  return [...html.matchAll(/<(\/?)([a-z0-9]+)((?: [a-z-]+="[^"<>]*")*)>|</g)].map(
    ([whole, slash, name = whole, list = '']) => ({
      name,
      isEnd: slash === '/',
      attributes: [...list.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
    }),
  );
}

describe('MessageRenderer.render for arbitrary input', () => {
  it('returns only documented tags, which are all closed, and documented attributes', () => {
    fc.assert(
      fc.property(source, (text) => {
        const html = renderer.render(renderer.parse(text, realm), names).html;
        const open: string[] = [];
        for (const tag of tagsOf(html)) {
          expect(tags).toContain(tag.name);
          for (const [key, value] of tag.attributes) {
            expect(attributes).toContain(key);
            if (key === 'href') expect(value).toMatch(/^(https?:|mailto:|\/(?!\/)|#|\?)/);
            if (key === 'style') expect(value).toMatch(/^text-align: (left|right|center);$/);
          }
          if (tag.isEnd) expect(open.pop()).toBe(tag.name);
          else if (!ends.has(tag.name)) open.push(tag.name);
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
