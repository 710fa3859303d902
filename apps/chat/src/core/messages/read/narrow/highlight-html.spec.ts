import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHighlightedText, highlightHtml, extractTextOfHtml, type TextRange } from './highlight-html.js';

/** Returns a function that finds all positions of the given words in a text. */
const places =
  (...wanted: string[]) =>
  (text: string): TextRange[] =>
    wanted.flatMap((part) =>
      [...text.matchAll(new RegExp(part, 'g'))].map(({ index }): TextRange => [index, index + part.length]),
    );
const mark = (text: string): string => `<span class="highlight">${text}</span>`;

describe('highlightHtml', () => {
  it.each([
    ['a text', '<p>one two</p>', ['two'], `<p>one ${mark('two')}</p>`],
    [
      'nothing in tags and attributes',
      '<a href="/p?a=1>2" title="p">p</a>',
      ['p'],
      `<a href="/p?a=1>2" title="p">${mark('p')}</a>`,
    ],
    [
      'entities as the signs they stand for',
      '<p>a &lt;b&gt; &amp;c</p>',
      ['<b>'],
      `<p>a ${mark('&lt;b&gt;')} &amp;c</p>`,
    ],
    ['no names of entities', '<p>a &amp; b</p>', ['amp'], '<p>a &amp; b</p>'],
    ['numbered entities', '<p>&#x27;a&#39;</p>', ["'a'"], `<p>${mark('&#x27;a&#39;')}</p>`],
    ['overlapping places once', '<p>abcd</p>', ['abc', 'bcd'], `<p>${mark('abcd')}</p>`],
    [
      'no formulas',
      '<p>x <math><mi>x</mi></math> x</p>',
      ['x'],
      `<p>${mark('x')} <math><mi>x</mi></math> ${mark('x')}</p>`,
    ],
    ['each part of a text that tags divide', '<p>ab<b>ab</b></p>', ['ab'], `<p>${mark('ab')}<b>${mark('ab')}</b></p>`],
  ])('highlights %s', (_name, html, wanted, expected) => {
    expect(highlightHtml(html, places(...wanted))).toBe(expected);
  });

  it('leaves the text of arbitrary HTML unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1, maxLength: 2 }), (text, part) => {
        const find = (where: string): TextRange[] => {
          const index = where.indexOf(part);
          return index === -1 ? [] : [[index, index + part.length]];
        };
        const html = escapeHighlightedText(text);
        expect(extractTextOfHtml(highlightHtml(html, find))).toBe(text);
      }),
    );
  });
});
