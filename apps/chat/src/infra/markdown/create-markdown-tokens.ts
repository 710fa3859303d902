import createMarkdown, { type StateCore, type StateInline, type Token } from 'markdown-it';

/** markdown-it environment that all rules share while a message is parsed. */
export type MarkdownEnvironment = StateCore['env'];

/** Attributes of an HTML element, in output order. Undefined attributes are omitted. */
export type HtmlAttributes = Readonly<Record<string, string | undefined>>;

/** Returns a token of text, which is escaped when rendered. */
export function createTextToken(content: string): Token {
  const token = new createMarkdown.Token('text', '', 0);
  token.content = content;
  return token;
}

/** Returns a token of literal text, without links, emoji or other markup. */
export function createLiteralToken(content: string): Token {
  const token = new createMarkdown.Token('literal', '', 0);
  token.content = content;
  return token;
}

/** Returns a token of HTML that a library such as KaTeX generated from escaped text. Never pass user input. */
export function createTrustedHtmlToken(html: string): Token {
  const token = new createMarkdown.Token('trusted_html', '', 0);
  token.content = html;
  return token;
}

/** Returns the tokens of an HTML element that contains other tokens. */
export function createElementTokens(tag: string, attributes: HtmlAttributes, ...inner: readonly Token[]): Token[] {
  return [createStartTagToken(tag, attributes), ...inner, new createMarkdown.Token(`${tag}_end`, tag, -1)];
}

/** Returns the token of an HTML element without an end tag, such as an image. */
export function createStartTagToken(tag: string, attributes: HtmlAttributes): Token {
  const open = new createMarkdown.Token(`${tag}_start`, tag, 1);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) open.attrPush([name, value]);
  return open;
}

/** Returns the tokens of an HTML element on separate lines, see {@link createElementTokens}. */
export function createBlockElementTokens(tag: string, attributes: HtmlAttributes, ...inner: readonly Token[]): Token[] {
  const tokens = createElementTokens(tag, attributes, ...inner);
  const end = tokens.at(-1);
  if (end) end.block = true;
  return tokens;
}

/** Returns the tokens of a link with a text. */
export function createLinkTokens(href: string, text: string): Token[] {
  const open = new createMarkdown.Token('link_open', 'a', 1);
  open.attrPush(['href', href]);
  return [open, createTextToken(text), new createMarkdown.Token('link_close', 'a', -1)];
}

/** Inserts tokens at the position of an inline rule. */
export function pushInlineToken(state: StateInline, tokens: readonly Token[]): void {
  for (const { type, tag, nesting, attrs, content } of tokens) {
    Object.assign(state.push(type, tag, nesting), { attrs, content });
  }
}

/** Joins adjacent text tokens, so that patterns can match across them. */
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
 * Replaces text tokens by the tokens that a function returns for their text. Text in links is replaced only with
 * `inLinks`.
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
