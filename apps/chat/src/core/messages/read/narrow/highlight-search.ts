import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import type { Tx } from '@switchboard/database';
import {
  escapeHighlightedText,
  type TextRangeFinder,
  highlightHtml,
  extractTextOfHtml,
  type TextRange,
} from './highlight-html.js';
import { type SearchTerms, searchedWordPattern } from './search-terms.js';

/** Topic and content of a message that a search found. */
export interface FoundMessageText {
  /** Topic of the message as the reader sees it. */
  readonly topic: string;
  /** Content of the message as HTML. */
  readonly html: string;
}

/** Topic and content of a found message as HTML with highlighted matches (docs/contract/chat.md 5.1). */
export interface SearchMatch {
  readonly match_content: string;
  readonly match_subject: string;
}

/**
 * Returns a function that highlights the matches of a search in the given messages. One SQL statement for all messages
 * compares words by their word stems. Literal search texts need no statement.
 */
export async function createSearchHighlighter(
  tx: Tx,
  search: readonly SearchTerms[],
  messages: readonly FoundMessageText[],
): Promise<(message: FoundMessageText) => SearchMatch> {
  const words = await findMatchingWords(tx, search.map((terms) => terms.words).join(' '), messages);
  const find = createHighlightRangeFinder(
    words,
    search.flatMap((terms) => terms.literals),
  );
  return ({ topic, html }) => ({
    match_content: highlightHtml(html, find),
    match_subject: highlightHtml(escapeHighlightedText(topic), find),
  });
}

/**
 * Returns the words of the given messages whose word stem equals the stem of a searched word. The words are in lower
 * case.
 */
async function findMatchingWords(tx: Tx, search: string, messages: readonly FoundMessageText[]): Promise<Set<string>> {
  // Words with the same stem differ only in their endings, so words with other initials need not be checked.
  const initials = new Set((search.match(searchedWordPattern) ?? []).map(getFirstLetter));
  if (initials.size === 0) return new Set();
  const candidates = new Set<string>();
  await mapWithEventLoopPauses(messages, ({ topic, html }) => {
    for (const [word] of `${topic} ${extractTextOfHtml(html)}`.matchAll(searchedWordPattern)) {
      if (initials.has(getFirstLetter(word))) candidates.add(word.toLowerCase());
    }
  });
  const { rows } = await tx.query<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS word
     WHERE tsvector_to_array(to_tsvector('chat_search', search_plain(word)))
       && tsvector_to_array(to_tsvector('chat_search', search_plain($2)))`,
    [[...candidates], search],
  );
  return new Set(rows.map((row) => row.word));
}

function getFirstLetter(word: string): string {
  return word.slice(0, 1).toLowerCase();
}

function createHighlightRangeFinder(words: ReadonlySet<string>, literals: readonly string[]): TextRangeFinder {
  const patterns = [...new Set(literals)].map(
    (literal) => new RegExp(literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu'),
  );
  return (text) => [
    ...[...text.matchAll(searchedWordPattern)].filter(([word]) => words.has(word.toLowerCase())).map(toTextRange),
    ...patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(toTextRange)),
  ];
}

function toTextRange(match: RegExpExecArray): TextRange {
  return [match.index, match.index + match[0].length];
}
