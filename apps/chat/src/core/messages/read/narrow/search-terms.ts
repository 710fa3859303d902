import { createBadNarrowError } from '../../../../errors.js';
import { type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';

/**
 * Parsed operand of a `search` term (docs/contract/chat.md 5.4). A message matches if its content or topic contains
 * every part of the operand.
 */
export interface SearchTerms {
  /** Searched words that the search compares by their word stems. The words are separated by spaces. */
  readonly words: string;
  /**
   * Searched texts that must occur exactly in a message, except for letter case: quoted phrases, punctuation, and words
   * of scripts without spaces.
   */
  readonly literals: readonly string[];
  /** Pairs of adjacent letters outside ASCII in the searched text, in the form that the search index contains. */
  readonly pairs: readonly string[];
  /** Single letters outside ASCII in the searched text. */
  readonly letters: readonly string[];
}

/** Maximum length of a searched text in characters, because the search index accepts only queries of limited size. */
const maxSearchLength = 1000;

/**
 * Maximum number of literal texts in a search. Each literal is a condition of the SQL statement, which searches all
 * text of each found message.
 */
const maxSearchLiterals = 100;

/**
 * Checks the total length of all searches of one narrow.
 * @throws ApplicationError BAD_NARROW if the total length exceeds the maximum length of one search
 */
export function checkSearchLimits(searches: readonly NarrowTerm[]): void {
  const length = searches.reduce((sum, term) => sum + parseTextOperand(term).length, 0);
  if (length > maxSearchLength) throw createBadNarrowError(`search of more than ${maxSearchLength} characters`);
}

/**
 * Character ranges of scripts that are written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Hangul,
 * Han.
 */
const unspacedScriptCharacterRanges =
  '\\u{e00}-\\u{eff}\\u{1000}-\\u{109f}\\u{1100}-\\u{11ff}\\u{1780}-\\u{17ff}\\u{3040}-\\u{30ff}\\u{3130}-\\u{318f}' +
  '\\u{31f0}-\\u{31ff}\\u{3400}-\\u{4dbf}\\u{4e00}-\\u{9fff}\\u{a960}-\\u{a97f}\\u{ac00}-\\u{d7ff}\\u{f900}-\\u{faff}' +
  '\\u{20000}-\\u{3ffff}';

const regularExpressionLetterClass = '[\\p{Alphabetic}0-9]';
const letterPattern = new RegExp(regularExpressionLetterClass, 'u');
const nonAsciiPattern = /[^\P{Alphabetic}\p{ASCII}]+/gu;
const unspacedScriptPattern = new RegExp(
  `(?:(?=${regularExpressionLetterClass})[${unspacedScriptCharacterRanges}])+`,
  'gu',
);

/**
 * Pattern of the words that a search compares by their word stems: letters and digits, except letters of scripts
 * without spaces.
 */
export const searchedWordPattern = new RegExp(
  `(?:(?![${unspacedScriptCharacterRanges}])${regularExpressionLetterClass})+`,
  'gu',
);

/**
 * Parses the operand of a narrow term with the operator `search`.
 *
 * @throws ApplicationError BAD_NARROW for an empty or overlong search
 */
export function parseSearchTerms(term: NarrowTerm): SearchTerms {
  const operand = parseTextOperand(term);
  if (operand.length > maxSearchLength) throw createBadNarrowError(`search of more than ${maxSearchLength} characters`);
  const words: string[] = [];
  const literals: string[] = [];
  for (const [, phrase, word = ''] of operand.matchAll(/"([^"]*)"|(\S+)/gu)) {
    if (phrase !== undefined) literals.push(phrase);
    else if (!letterPattern.test(word)) literals.push(word);
    else {
      words.push(...(word.match(searchedWordPattern) ?? []));
      literals.push(...(word.match(unspacedScriptPattern) ?? []));
    }
  }
  const distinct = [...new Set(literals.filter((literal) => literal.trim() !== ''))];
  if (distinct.length > maxSearchLiterals)
    throw createBadNarrowError(`search of more than ${maxSearchLiterals} phrases`);
  if (words.length + distinct.length === 0) throw createBadNarrowError('empty search');
  return { words: words.join(' '), literals: distinct, ...listNonAsciiLetterPairs(distinct) };
}

/**
 * Returns the letter pairs and single letters outside ASCII that the database function `search_pairs` extracts from the
 * given texts.
 */
function listNonAsciiLetterPairs(literals: readonly string[]): Pick<SearchTerms, 'pairs' | 'letters'> {
  const pairs = new Set<string>();
  const letters = new Set<string>();
  for (const [run] of literals.join('\n').toLowerCase().matchAll(nonAsciiPattern)) {
    const points = [...run];
    if (points.length === 1) letters.add(run);
    for (const [index, point] of points.slice(1).entries()) pairs.add(`${points[index]}${point}`);
  }
  return { pairs: [...pairs], letters: [...letters] };
}

/**
 * Pattern that matches a text with a trigram in the index: three letters or digits, or two at the beginning or end of a
 * word. A searched literal may be a part of a longer word.
 */
const trigramPattern = /[a-z\d]{3}|(?<=[\0-/:-@[-`{-\x7f])[a-z\d]{2}|[a-z\d]{2}(?=[\0-/:-@[-`{-\x7f])/i;

/**
 * Returns true if the trigram index can find a literal text. Otherwise a search for the literal must read all texts.
 */
export function containsTrigram(literal: string): boolean {
  return trigramPattern.test(literal);
}

/**
 * Returns true if an index supports at least one part of the search. Without index support, for example for short texts
 * and signs, the search must check every message.
 */
export function isSearchTermIndexed({ words, literals, pairs }: SearchTerms): boolean {
  return words !== '' || pairs.length > 0 || literals.some(containsTrigram);
}
