/**
 * Maximum number of tokens of a message version that is compared with another version. A text with more tokens is
 * marked as completely different.
 */
const maxDiffTokens = 600;

/** Number of comparisons that remain for one response. All differences that the response shows share this budget. */
export interface RemainingDiffComparisons {
  /** Number of token pairs that can still be compared for this response. */
  pairs: number;
}

/**
 * Number of token comparisons for one response. The number suffices for the edits of any usual message, and limits the
 * work to a fraction of a second.
 */
export const maxDiffComparisonsPerResponse: RemainingDiffComparisons = { pairs: 10_000_000 };

/**
 * Pattern of a token in HTML: a tag, a character reference, a sequence of blanks, or a sequence of other characters.
 */
const htmlTokenPattern = /<[^>]*>|&[^;\s<&]+;|\s+|[^<&\s]+|[<&]/g;

type HtmlDiffKind = 'same' | 'inserted' | 'deleted';

interface HtmlDiffPart {
  readonly kind: HtmlDiffKind;
  readonly text: string;
}

/**
 * Returns the newer of two HTML versions of a message with the differing words marked: added words by
 * `<span class="highlight_text_inserted">`, removed words by `<span class="highlight_text_deleted">`. The tags of the
 * newer version remain unchanged, so that the result is well-formed HTML. Versions that exceed the comparison budget
 * are marked as completely different.
 */
export function createHtmlDiff(
  before: string,
  after: string,
  budget: RemainingDiffComparisons = { ...maxDiffComparisonsPerResponse },
): string {
  const parts = compareHtmlTokens(before.match(htmlTokenPattern) ?? [], after.match(htmlTokenPattern) ?? [], budget);
  let html = '';
  let open: HtmlDiffKind = 'same';
  for (const { kind, text } of parts) {
    const isTag = text.startsWith('<') && text.length > 1;
    if (isTag && kind === 'deleted') continue;
    const expected = isTag ? 'same' : kind;
    if (expected !== open) {
      if (open !== 'same') html += '</span>';
      if (expected !== 'same') html += `<span class="highlight_text_${expected}">`;
      open = expected;
    }
    html += text;
  }
  return open === 'same' ? html : `${html}</span>`;
}

/**
 * Merges the tokens of two texts in order, by their common beginning, common end, and the longest common subsequence
 * between beginning and end.
 */
function compareHtmlTokens(
  before: readonly string[],
  after: readonly string[],
  budget: RemainingDiffComparisons,
): HtmlDiffPart[] {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (text: string): HtmlDiffPart => ({ kind: 'same', text });
  return [
    ...after.slice(0, start).map(same),
    ...alignHtmlTokens(before.slice(start, before.length - end), after.slice(start, after.length - end), budget),
    ...after.slice(after.length - end).map(same),
  ];
}

function alignHtmlTokens(
  before: readonly string[],
  after: readonly string[],
  budget: RemainingDiffComparisons,
): HtmlDiffPart[] {
  const deleted = (text: string): HtmlDiffPart => ({ kind: 'deleted', text });
  const inserted = (text: string): HtmlDiffPart => ({ kind: 'inserted', text });
  const pairs = before.length * after.length;
  if (before.length > maxDiffTokens || after.length > maxDiffTokens || pairs > budget.pairs) {
    return [...before.map(deleted), ...after.map(inserted)];
  }
  budget.pairs -= pairs;
  const lengths = computeCommonSubsequenceLengths(before, after);
  const width = after.length + 1;
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  const parts: HtmlDiffPart[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old = '', now = ''] = [before[row], after[column]];
    if (row < before.length && column < after.length && old === now) {
      parts.push({ kind: 'same', text: now });
      row += 1;
      column += 1;
    } else if (
      row < before.length &&
      (column === after.length || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      parts.push(deleted(old));
      row += 1;
    } else {
      parts.push(inserted(now));
      column += 1;
    }
  }
  return parts;
}

/**
 * Returns the lengths of the longest common subsequences of two token lists, for each pair of start positions. The
 * result is a table, row by row.
 */
function computeCommonSubsequenceLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] =
        before[row] === after[column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  return lengths;
}
