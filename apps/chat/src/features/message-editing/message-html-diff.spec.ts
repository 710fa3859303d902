import { describe, expect, it } from 'vitest';
import { createHtmlDiff } from './message-html-diff.js';

const inserted = (text: string) => `<span class="highlight_text_inserted">${text}</span>`;
const deleted = (text: string) => `<span class="highlight_text_deleted">${text}</span>`;

describe('createHtmlDiff', () => {
  it.each([
    ['<p>one two</p>', '<p>one two</p>', '<p>one two</p>'],
    ['<p>one two</p>', '<p>one three</p>', `<p>one ${deleted('two')}${inserted('three')}</p>`],
    ['<p>one</p>', '<p>one two</p>', `<p>one${inserted(' two')}</p>`],
    ['<p>one two</p>', '<p>two</p>', `<p>${deleted('one ')}two</p>`],
    ['<p>one</p>', '<p><strong>one</strong></p>', '<p><strong>one</strong></p>'],
    ['<p><em>a</em></p>', '<p>b</p>', `<p>${deleted('a')}${inserted('b')}</p>`],
    ['<p>a &lt; b</p>', '<p>a &gt; b</p>', `<p>a ${deleted('&lt;')}${inserted('&gt;')} b</p>`],
    ['', '<p>a</p>', `<p>${inserted('a')}</p>`],
  ])('marks the differing words in %s -> %s', (before, after, html) => {
    expect(createHtmlDiff(before, after)).toBe(html);
  });

  it('marks texts with very many words as completely changed, in bounded time', () => {
    const words = (first: string) => Array.from({ length: 5000 }, (_, index) => `${first}${index}`).join(' ');
    const start = performance.now();
    const html = createHtmlDiff(`<p>${words('a')}</p>`, `<p>${words('b')}</p>`);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(html).toBe(`<p>${deleted(words('a'))}${inserted(words('b'))}</p>`);
  });

  it('marks contents as completely changed when the limit of word comparisons is used up', () => {
    const budget = { pairs: 1 };
    expect(createHtmlDiff('<p>one a</p>', '<p>one b</p>', budget)).toBe(`<p>one ${deleted('a')}${inserted('b')}</p>`);
    expect(createHtmlDiff('<p>a same b</p>', '<p>c same d</p>', budget)).toBe(
      `<p>${deleted('a same b')}${inserted('c same d')}</p>`,
    );
  });
});
