import createMarkdown, { type StateCore, type StateInline, type Token } from 'markdown-it';

/** Environment object of markdown-it that all Markdown rules share while a message is parsed. */
export type MarkdownEnvironment = StateCore['env'];

/** Attributes of an HTML element, in the order of the output. Attributes with an undefined value are omitted. */
export type HtmlAttributes = Readonly<Record<string, string | undefined>>;

/** Returns a markdown-it token of plain text, which is HTML-escaped when rendered. */
export function createTextToken(content: string): Token {
  const token = new createMarkdown.Token('text', '', 0);
  token.content = content;
  return token;
}

/** Returns a markdown-it token of literal text, in which links, emoji and other markup are not converted. */
export function createLiteralToken(content: string): Token {
  const token = new createMarkdown.Token('literal', '', 0);
  token.content = content;
  return token;
}

/**
 * Returns a markdown-it token of HTML that is output without escaping. The HTML must come from a library such as KaTeX,
 * never from user input.
 */
export function createTrustedHtmlToken(html: string): Token {
  const token = new createMarkdown.Token('trusted_html', '', 0);
  token.content = html;
  return token;
}

/** Returns the markdown-it tokens of an HTML element that contains the given tokens. */
export function createElementTokens(tag: string, attributes: HtmlAttributes, ...inner: readonly Token[]): Token[] {
  return [createStartTagToken(tag, attributes), ...inner, new createMarkdown.Token(`${tag}_end`, tag, -1)];
}

/** Returns the markdown-it token of an HTML element without an end tag, such as an image. */
export function createStartTagToken(tag: string, attributes: HtmlAttributes): Token {
  const open = new createMarkdown.Token(`${tag}_start`, tag, 1);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) open.attrPush([name, value]);
  return open;
}

/**
 * Returns the markdown-it tokens of an HTML block element, which is output on separate lines, see
 * {@link createElementTokens}.
 */
export function createBlockElementTokens(tag: string, attributes: HtmlAttributes, ...inner: readonly Token[]): Token[] {
  const tokens = createElementTokens(tag, attributes, ...inner);
  const end = tokens.at(-1);
  if (end) end.block = true;
  return tokens;
}

/** Returns the markdown-it tokens of a link with the given target and text. */
export function createLinkTokens(href: string, text: string): Token[] {
  const open = new createMarkdown.Token('link_open', 'a', 1);
  open.attrPush(['href', href]);
  return [open, createTextToken(text), new createMarkdown.Token('link_close', 'a', -1)];
}

/** Appends markdown-it tokens at the position that an inline rule has reached. */
export function pushInlineToken(state: StateInline, tokens: readonly Token[]): void {
  for (const { type, tag, nesting, attrs, content } of tokens) {
    Object.assign(state.push(type, tag, nesting), { attrs, content });
  }
}

/** Joins adjacent text tokens, so that patterns can match across the former token boundaries. */
export function joinTextTokens(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = createTextToken(last.content + token.content);
    else joined.push(token);
  }
  return joined;
}

/**
 * Replaces each text token by the tokens that the given function returns for the token's text. Text inside links is
 * replaced only if `inLinks` is true.
 */
export function replaceTextTokens(
  tokens: readonly Token[],
  replace: (text: string) => readonly Token[] | undefined,
  options: { readonly inLinks: boolean },
): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type !== 'text' || token.content === '' || (depth > 0 && !options.inLinks)) return [token];
    return replace(token.content) ?? [token];
  });
}
