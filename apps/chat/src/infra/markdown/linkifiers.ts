import type { Token } from 'markdown-it';
import { type Matcher, RE2JS } from 're2js';
import { parseTemplate, type Template } from 'url-template';
import { isSafeLink } from './markdown-links.js';
import { estimateRegularExpressionSize } from './regular-expression-size.js';
import { createLinkTokens, createTextToken } from './create-markdown-tokens.js';

/** A compiled linkifier: a pattern whose matches in messages become links. Created by {@link compileLinkifier}. */
export interface Linkifier {
  readonly pattern: RE2JS;
  readonly template: Template;
  readonly groups: readonly string[];
  /** Maximum number of characters at the beginning of a text that are searched for the linkifier's pattern. */
  readonly reach: number;
}

/**
 * Error thrown for an invalid pattern or URL template of a linkifier. The error message is shown to the user who
 * defines the linkifier.
 */
export class LinkifierError extends Error {}

// Longer patterns and templates would slow down each message of the realm.
const maxLinkifierPatternLength = 1000;
const maxLinkifierUrlTemplateLength = 2000;
/**
 * Maximum number of instructions of a linkifier's compiled pattern. Each instruction may be executed for each character
 * of a message.
 */
const maxPatternInstructions = 5000;
/**
 * Maximum work of one linkifier search: the number of pattern instructions multiplied by the number of searched
 * characters. A search with this maximum takes at most about 25 ms.
 */
const maxLinkifierSearchWork = 300_000;
const urlTemplateExpressionPattern = /\{([^{}]*)\}/g;
const urlTemplateVariablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Compiles a linkifier with RE2, whose matching time is linear in the length of the text. A match starts at the
 * beginning of the text, or after a blank, an opening bracket or a quote. No letter or digit follows a match.
 * @param urlTemplate RFC 6570 template whose variables are all named groups of the pattern.
 * @throws LinkifierError
 */
export function compileLinkifier(pattern: string, urlTemplate: string): Linkifier {
  if (pattern.length > maxLinkifierPatternLength)
    throw new LinkifierError(`Pattern is too long (limit: ${maxLinkifierPatternLength} characters)`);
  if (estimateRegularExpressionSize(pattern) > maxPatternInstructions)
    throw new LinkifierError('Pattern is too complex');
  const own = compileLinkifierPattern(pattern);
  if (own.matches('')) throw new LinkifierError('Bad regular expression: it matches nothing at all');
  const groups = Object.keys(own.namedGroups());
  checkUrlTemplateVariables(groups, urlTemplate);
  const bounded = compileLinkifierPattern(
    String.raw`(?:^|[\s\pZ'"(\[{<,:])(?P<linkifier_match>${pattern})(?:$|[^\pL\pN_])`,
  );
  const reach = Math.floor(maxLinkifierSearchWork / Math.max(1, estimateRegularExpressionSize(pattern)));
  return { pattern: bounded, template: parseTemplate(urlTemplate), groups, reach };
}

/**
 * Budget that limits the work of linkifiers on one message, or on the topic names of one response. When the budget is
 * used up, no further links are created.
 */
export class LinkifierWorkBudget {
  readonly #now: () => number;
  // Each search is linear in the text, but a pattern can make thousands of searches read it to its end.
  #milliseconds = 60;
  #urlCharacters = 300_000;

  /** @param now Returns the time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs a search for links and subtracts the search time from the budget. Returns undefined, without a search, if the
   * budget is used up. At most 25 ms are subtracted, because longer times are caused by other processes.
   */
  searchWithinBudget<Found>(find: () => Found): Found | undefined {
    if (this.#milliseconds <= 0) return undefined;
    const start = this.#now();
    const found = find();
    this.#milliseconds -= Math.min(this.#now() - start, 25);
    return found;
  }

  /** Subtracts the length of a link's URL from the linkifier budget. Returns false if the budget does not suffice. */
  subtractUrlLengthFromBudget(url: string): boolean {
    this.#urlCharacters -= url.length;
    return this.#urlCharacters >= 0;
  }
}

interface LinkFoundByLinkifier {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/**
 * Yields the links that a linkifier finds in a text. Only the first `linkifier.reach` characters of the text are
 * searched.
 */
export function* findLinksOfLinkifier(
  linkifier: Linkifier,
  text: string,
  budget = new LinkifierWorkBudget(),
): Generator<LinkFoundByLinkifier> {
  const searched = text.slice(0, linkifier.reach);
  const matcher = linkifier.pattern.matcher(searched);
  let from = 0;
  while (from < searched.length) {
    const link = budget.searchWithinBudget(() => findNextLink(linkifier, matcher, from));
    // A match at the cut might be longer, or no match at all, in the whole text.
    if (link === undefined || (link.end === searched.length && searched.length < text.length)) return;
    if (!budget.subtractUrlLengthFromBudget(link.url)) return;
    if (isSafeLink(link.url)) yield link;
    from = link.end;
  }
}

/**
 * Returns the next match of a linkifier at or after a position, or undefined without a match. Reading the groups of a
 * match takes as long as the search for the match.
 */
function findNextLink(linkifier: Linkifier, matcher: Matcher, from: number): LinkFoundByLinkifier | undefined {
  if (!matcher.find(from)) return undefined;
  const start = matcher.start('linkifier_match');
  const end = matcher.end('linkifier_match');
  if (end <= start) return undefined;
  const values = linkifier.groups.map((name) => [name, matcher.group(name)] as const);
  return { start, end, url: linkifier.template.expand(Object.fromEntries(values)) };
}

/**
 * Splits a text into tokens of links and tokens of other text. Linkifiers are tried in order. Returns undefined if no
 * linkifier matches.
 */
export function splitTextAtLinks(
  text: string,
  linkifiers: readonly Linkifier[],
  budget = new LinkifierWorkBudget(),
): Token[] | undefined {
  const [linkifier, ...others] = linkifiers;
  if (linkifier === undefined) return undefined;
  const tokens: Token[] = [];
  const addText = (part: string) => tokens.push(...(splitTextAtLinks(part, others, budget) ?? [createTextToken(part)]));
  let end = 0;
  for (const link of findLinksOfLinkifier(linkifier, text, budget)) {
    addText(text.slice(end, link.start));
    tokens.push(...createLinkTokens(link.url, text.slice(link.start, link.end)));
    end = link.end;
  }
  if (end === 0) return splitTextAtLinks(text, others, budget);
  addText(text.slice(end));
  return tokens;
}

function compileLinkifierPattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new LinkifierError(`Bad regular expression: ${error instanceof Error ? error.message : pattern}`);
  }
}

function checkUrlTemplateVariables(groups: readonly string[], urlTemplate: string): void {
  const names = listUrlTemplateVariables(urlTemplate);
  const unused = groups.find((name) => !names.includes(name));
  if (unused !== undefined) {
    throw new LinkifierError(`Group '${unused}' in linkifier pattern is not present in URL template.`);
  }
  const unknown = names.find((name) => !groups.includes(name));
  if (unknown !== undefined) {
    throw new LinkifierError(`Group '${unknown}' in URL template is not present in linkifier pattern.`);
  }
}

/**
 * Returns the names of the variables of an RFC 6570 URL template.
 *
 * @throws LinkifierError for an invalid or unsafe template
 */
export function listUrlTemplateVariables(urlTemplate: string): string[] {
  const names = [...urlTemplate.matchAll(urlTemplateExpressionPattern)].flatMap(([, inner = '']) =>
    inner.replace(/^[+#./;?&]/, '').split(','),
  );
  const plain = names.map((name) => name.replace(/(?:\*|:\d{1,4})$/, ''));
  const rest = urlTemplate.replaceAll(urlTemplateExpressionPattern, '');
  const isValid =
    plain.every((name) => urlTemplateVariablePattern.test(name)) &&
    !/[{}\s]/.test(rest) &&
    /^https?:\/\/./.test(urlTemplate);
  if (!isValid || urlTemplate.length > maxLinkifierUrlTemplateLength) throw new LinkifierError('Invalid URL template.');
  return plain;
}
