import createMarkdown, { type StateCore, type StateInline, type Token } from 'markdown-it';

/** Environment of a parse, which its rules share. */
export type Env = StateCore['env'];

/** Attributes of an element, in the order in which they are written; undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Text; it is escaped when it is rendered. */
export function textToken(content: string): Token {
  const token = new createMarkdown.Token('text', '', 0);
  token.content = content;
  return token;
}

/** Text that means nothing but itself: no address, reference or face is looked for in it. */
export function literalToken(content: string): Token {
  const token = new createMarkdown.Token('literal', '', 0);
  token.content = content;
  return token;
}

/** HTML that a library made from text it has escaped itself, such as KaTeX. Never anything that a person wrote. */
export function trustedHtmlToken(html: string): Token {
  const token = new createMarkdown.Token('trusted_html', '', 0);
  token.content = html;
  return token;
}

/** An element around other tokens. */
export function element(tag: string, attributes: Attributes, ...inner: readonly Token[]): Token[] {
  return [startTag(tag, attributes), ...inner, new createMarkdown.Token(`${tag}_end`, tag, -1)];
}

/** An element that has no end, such as an image. */
export function startTag(tag: string, attributes: Attributes): Token {
  const open = new createMarkdown.Token(`${tag}_start`, tag, 1);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) open.attrPush([name, value]);
  return open;
}

/** {@link element} on lines of its own. */
export function blockElement(tag: string, attributes: Attributes, ...inner: readonly Token[]): Token[] {
  const tokens = element(tag, attributes, ...inner);
  const end = tokens.at(-1);
  if (end) end.block = true;
  return tokens;
}

/** A link as the parser writes it. */
export function linkTokens(href: string, text: string): Token[] {
  const open = new createMarkdown.Token('link_open', 'a', 1);
  open.attrPush(['href', href]);
  return [open, textToken(text), new createMarkdown.Token('link_close', 'a', -1)];
}

/** Lets an inline rule put tokens where it stands. */
export function pushInline(state: StateInline, tokens: readonly Token[]): void {
  for (const { type, tag, nesting, attrs, content } of tokens) {
    Object.assign(state.push(type, tag, nesting), { attrs, content });
  }
}

/** Texts that follow each other as one, so that what they say together can be found. */
export function joinTexts(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = textToken(last.content + token.content);
    else joined.push(token);
  }
  return joined;
}

/** Puts other tokens in the place of texts; those inside of links only where `inLinks` says so. */
export function replaceTexts(
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
