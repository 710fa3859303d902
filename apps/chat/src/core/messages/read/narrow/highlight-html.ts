/** Range of characters in a text: the index of the first character, and the index after the last character. */
export type TextRange = readonly [start: number, end: number];

/** Function that finds the ranges to highlight in a text without HTML markup. */
export type TextRangeFinder = (text: string) => readonly TextRange[];

const highlightOpeningTag = '<span class="highlight">';
const highlightClosingTag = '</span>';

/** Pattern of an HTML tag with its attributes, or of the text before the next tag. */
const tagOrTextPattern = /<(?:"[^"]*"|'[^']*'|[^"'>])*>|[^<]+/gu;
const entityPattern = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/giu;
const namedEntities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00A0'],
]);

/**
 * Highlights matching texts in rendered HTML with `<span class="highlight">` (docs/contract/chat.md 5.1). Does not
 * split HTML tags, attributes and entities. Formulas and drawings remain unchanged, because a span would interrupt
 * their markup.
 */
export function highlightHtml(html: string, find: TextRangeFinder): string {
  let foreign: string | undefined;
  return html.replaceAll(tagOrTextPattern, (piece) => {
    if (!piece.startsWith('<')) return foreign === undefined ? highlightText(piece, find) : piece;
    const name = /^<\/?(math|svg)\b/i.exec(piece)?.[1]?.toLowerCase();
    if (foreign === undefined && !piece.startsWith('</')) foreign = name;
    else if (name === foreign && piece.startsWith('</')) foreign = undefined;
    return piece;
  });
}

/** Returns the text content of rendered HTML, without tags. */
export function extractTextOfHtml(html: string): string {
  return [...html.matchAll(tagOrTextPattern)]
    .map(([piece]) => piece)
    .filter((piece) => !piece.startsWith('<'))
    .map((piece) => decodeEntities(piece).text)
    .join('');
}

/** Replaces the special characters of a text by HTML entities, so that HTML displays the text unchanged. */
export function escapeHighlightedText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function highlightText(source: string, find: TextRangeFinder): string {
  const { text, offsetOf } = decodeEntities(source);
  let end = 0;
  let marked = '';
  for (const [from, to] of mergeTextRanges(find(text))) {
    const [start, stop] = [offsetOf(from), offsetOf(to)];
    marked += source.slice(end, start) + highlightOpeningTag + source.slice(start, stop) + highlightClosingTag;
    end = stop;
  }
  return marked + source.slice(end);
}

/** Decodes the HTML entities of a text, and maps each decoded character to its position in the source text. */
function decodeEntities(source: string): { text: string; offsetOf: (index: number) => number } {
  if (!source.includes('&')) return { text: source, offsetOf: (index) => index };
  const offsets: number[] = [];
  let text = '';
  let end = 0;
  const plain = (until: number): void => {
    for (let index = end; index < until; index += 1) offsets.push(index);
    text += source.slice(end, until);
  };
  for (const match of source.matchAll(entityPattern)) {
    plain(match.index);
    const character = decodeEntityText(match);
    for (let unit = 0; unit < character.length; unit += 1) offsets.push(match.index);
    text += character;
    end = match.index + match[0].length;
  }
  plain(source.length);
  return { text, offsetOf: (index) => offsets[index] ?? source.length };
}

function decodeEntityText([whole, hex, decimal, name = '']: RegExpExecArray): string {
  if (hex === undefined && decimal === undefined) return namedEntities.get(name.toLowerCase()) ?? whole;
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
}

/** Returns the text ranges in sorted order, with overlapping ranges merged. */
function mergeTextRanges(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && range[0] <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], range[1])];
    else result.push(range);
  }
  return result;
}
