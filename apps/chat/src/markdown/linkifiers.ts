import type { Token } from 'markdown-it';
import { RE2JS } from 're2js';
import { parseTemplate, type Template } from 'url-template';
import { isSafeLink } from './links.js';
import { patternSize } from './pattern-size.js';
import { linkTokens, textToken } from './tokens.js';

/** A pattern that becomes a link wherever it is met. Made by {@link compileLinkifier}. */
export interface Linkifier {
  readonly pattern: RE2JS;
  readonly template: Template;
  readonly groups: readonly string[];
}

/** Why a linkifier cannot be; the message is for whoever wrote it. */
export class LinkifierError extends Error {}

// Longer ones would make every message of the realm slow.
const longestPattern = 1000;
const longestTemplate = 2000;
/** Instructions of a compiled pattern: each may be looked at for each character of a message. */
const largestPattern = 5000;
const expression = /\{([^{}]*)\}/g;
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Compiles a linkifier. The engine is RE2 and not that of the language: it takes time linear in the text whatever the
 * pattern. A match begins at the start, after a blank or after an opening sign, and no letter or digit follows it.
 *
 * @param urlTemplate RFC 6570; its variables are the named groups of the pattern, all of them.
 * @throws LinkifierError
 */
export function compileLinkifier(pattern: string, urlTemplate: string): Linkifier {
  if (pattern.length > longestPattern)
    throw new LinkifierError(`Pattern is too long (limit: ${longestPattern} characters)`);
  if (patternSize(pattern) > largestPattern) throw new LinkifierError('Pattern is too complex');
  const own = compile(pattern);
  if (own.matches('')) throw new LinkifierError('Bad regular expression: it matches nothing at all');
  const groups = Object.keys(own.namedGroups());
  checkVariables(groups, urlTemplate);
  const bounded = compile(String.raw`(?:^|[\s\pZ'"(\[{<,:])(?P<linkifier_match>${pattern})(?:$|[^\pL\pN_])`);
  return { pattern: bounded, template: parseTemplate(urlTemplate), groups };
}

/** Bounds the work of linkifiers on one message; what exceeds them stays text. */
export class LinkifierBudget {
  // A search is linear in the text, but a pattern can make each of thousands of searches read it to its end.
  #milliseconds = 250;
  #urlCharacters = 300_000;

  /** Runs a search and takes its time from what is left; false, without a search, when nothing is left. */
  search(find: () => boolean): boolean {
    if (this.#milliseconds <= 0) return false;
    const start = performance.now();
    const isFound = find();
    this.#milliseconds -= performance.now() - start;
    return isFound;
  }

  /** Takes the length of a URL from what is left; false when that is not enough. */
  spend(url: string): boolean {
    this.#urlCharacters -= url.length;
    return this.#urlCharacters >= 0;
  }
}

/** The links that a linkifier finds in a text. */
export function* linksOf(
  linkifier: Linkifier,
  text: string,
  budget = new LinkifierBudget(),
): Generator<{ start: number; end: number; url: string }> {
  const matcher = linkifier.pattern.matcher(text);
  let from = 0;
  while (from < text.length && budget.search(() => matcher.find(from))) {
    const start = matcher.start('linkifier_match');
    const end = matcher.end('linkifier_match');
    if (end <= start) return;
    const values = linkifier.groups.map((name) => [name, matcher.group(name)] as const);
    const url = linkifier.template.expand(Object.fromEntries(values));
    if (!budget.spend(url)) return;
    if (isSafeLink(url)) yield { start, end, url };
    from = end;
  }
}

/** What linkifiers make of a text, the first of them first; undefined where none of them matches. */
export function linkify(
  text: string,
  linkifiers: readonly Linkifier[],
  budget = new LinkifierBudget(),
): Token[] | undefined {
  const [linkifier, ...others] = linkifiers;
  if (linkifier === undefined) return undefined;
  const tokens: Token[] = [];
  const addText = (part: string) => tokens.push(...(linkify(part, others, budget) ?? [textToken(part)]));
  let end = 0;
  for (const link of linksOf(linkifier, text, budget)) {
    addText(text.slice(end, link.start));
    tokens.push(...linkTokens(link.url, text.slice(link.start, link.end)));
    end = link.end;
  }
  if (end === 0) return linkify(text, others, budget);
  addText(text.slice(end));
  return tokens;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new LinkifierError(`Bad regular expression: ${error instanceof Error ? error.message : pattern}`);
  }
}

function checkVariables(groups: readonly string[], urlTemplate: string): void {
  const names = variablesOf(urlTemplate);
  const unused = groups.find((name) => !names.includes(name));
  if (unused !== undefined) {
    throw new LinkifierError(`Group '${unused}' in linkifier pattern is not present in URL template.`);
  }
  const unknown = names.find((name) => !groups.includes(name));
  if (unknown !== undefined) {
    throw new LinkifierError(`Group '${unknown}' in URL template is not present in linkifier pattern.`);
  }
}

/** The variables of an RFC 6570 template. @throws LinkifierError when it is none, or leads nowhere safe */
function variablesOf(urlTemplate: string): string[] {
  const names = [...urlTemplate.matchAll(expression)].flatMap(([, inner = '']) =>
    inner.replace(/^[+#./;?&]/, '').split(','),
  );
  const plain = names.map((name) => name.replace(/(?:\*|:\d{1,4})$/, ''));
  const rest = urlTemplate.replaceAll(expression, '');
  const isValid =
    plain.every((name) => variable.test(name)) && !/[{}\s]/.test(rest) && /^https?:\/\/./.test(urlTemplate);
  if (!isValid || urlTemplate.length > longestTemplate) throw new LinkifierError('Invalid URL template.');
  return plain;
}
