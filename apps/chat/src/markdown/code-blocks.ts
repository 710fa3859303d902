import type { MarkdownIt, StateCore, Token } from 'markdown-it';

/** What a fence may call a language, and the name that clients show and highlight by. */
const languages: Readonly<Record<string, string>> = {
  bash: 'Bash',
  c: 'C',
  'c++': 'C++',
  cpp: 'C++',
  css: 'CSS',
  diff: 'Diff',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  py: 'Python',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  sh: 'Bash',
  sql: 'SQL',
  ts: 'TypeScript',
  typescript: 'TypeScript',
  yaml: 'YAML',
};

/** Fences inside fences deeper than this stay code: it bounds the work that one message can ask for. */
const deepestQuote = 5;

/** Code in the shape of chat-contract 5.9, and fences called `quote` as block quotes. */
export function codeBlocks(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'chat_fences', (state) => {
    state.tokens = state.tokens.flatMap((token) => expand(markdown, state, token, 0));
  });
}

function expand(markdown: MarkdownIt, state: StateCore, token: Token, depth: number): Token[] {
  if (token.type === 'code_block') return codeTokens(state, token.content, undefined);
  if (token.type !== 'fence') return [token];
  const name = token.info.trim().split(/\s/, 1)[0] ?? '';
  if (name !== 'quote' || depth >= deepestQuote) return codeTokens(state, token.content, languages[name.toLowerCase()]);
  const inner: Token[] = [];
  markdown.block.parse(token.content, markdown, state.env, inner);
  const open = blockToken(state, 'blockquote_open', 1);
  const close = blockToken(state, 'blockquote_close', -1);
  return [open, ...inner.flatMap((child) => expand(markdown, state, child, depth + 1)), close];
}

function blockToken(state: StateCore, type: string, nesting: 1 | -1): Token {
  const token = new state.Token(type, 'blockquote', nesting);
  token.block = true;
  return token;
}

/** `<div class="codehilite"><pre><span></span><code>…</code></pre></div>`, with the language where it is known. */
function codeTokens(state: StateCore, code: string, language: string | undefined): Token[] {
  const open = (tag: string): Token => new state.Token(`code_${tag}_open`, tag, 1);
  const close = (tag: string): Token => new state.Token(`code_${tag}_close`, tag, -1);
  const div = open('div');
  div.attrs = [['class', 'codehilite'], ...(language === undefined ? [] : [attribute('data-code-language', language)])];
  const text = new state.Token('text', '', 0);
  text.content = code;
  const end = close('div');
  end.block = true;
  return [div, open('pre'), open('span'), close('span'), open('code'), text, close('code'), close('pre'), end];
}

function attribute(name: string, value: string): [string, string] {
  return [name, value];
}
