import type { MarkdownIt, Token } from 'markdown-it';
import { findCodeLanguage } from './code-languages.js';
import { highlightCode } from './highlighting.js';
import { mathBlock } from './math-formulas.js';
import { contextOf, type ParseContext } from './parse-context.js';
import { blockElementTokens, elementTokens, textToken } from './create-markdown-tokens.js';

/**
 * Markdown rule that renders code blocks in the form of docs/contract/chat.md 5.9, and blocks with the language `math`
 * as formulas.
 */
export function codeBlocks(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'chat_code', (state) => {
    const context = contextOf(state.env);
    state.tokens = state.tokens.flatMap((token) => tokensOfCodeBlock(token, context));
  });
}

function tokensOfCodeBlock(token: Token, context: ParseContext): Token[] {
  if (token.type === 'code_block') return codeTokens(token.content, 'text', context);
  if (token.type !== 'fence') return [token];
  const [name = ''] = token.info.trim().split(/\s/, 1);
  if (name === 'math') return mathBlock(token.content, context);
  return codeTokens(token.content, name === '' ? context.realm.codeLanguage : name, context);
}

/**
 * Returns the tokens of a code block, `<div class="codehilite"><pre><span></span><code>…</code></pre></div>`, with the
 * language if known.
 */
function codeTokens(code: string, name: string, context: ParseContext): Token[] {
  const language = findCodeLanguage(name);
  const parts = highlightCode(code, language, context).flatMap(({ className, text }) =>
    className === undefined ? [textToken(text)] : elementTokens('span', { class: className }, textToken(text)),
  );
  return blockElementTokens(
    'div',
    { class: 'codehilite', 'data-code-language': language?.name },
    ...elementTokens('pre', {}, ...elementTokens('span', {}), ...elementTokens('code', {}, ...parts)),
  );
}
