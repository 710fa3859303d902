import type { MarkdownIt, Token } from 'markdown-it';
import { findCodeLanguage } from './code-languages.js';
import { highlightCode } from './highlighting.js';
import { createFormulaBlockTokens } from './math-formulas.js';
import { getParseContext, type ParseContext } from './parse-context.js';
import { createBlockElementTokens, createElementTokens, createTextToken } from './create-markdown-tokens.js';

/**
 * Adds the Markdown rule that renders code blocks in the format of docs/contract/chat.md 5.9. Blocks with the language
 * `math` are rendered as formulas.
 */
export function addCodeBlockRules(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'chat_code', (state) => {
    const context = getParseContext(state.env);
    state.tokens = state.tokens.flatMap((token) => createCodeBlockTokens(token, context));
  });
}

function createCodeBlockTokens(token: Token, context: ParseContext): Token[] {
  if (token.type === 'code_block') return createCodeTokens(token.content, 'text', context);
  if (token.type !== 'fence') return [token];
  const [name = ''] = token.info.trim().split(/\s/, 1);
  if (name === 'math') return createFormulaBlockTokens(token.content, context);
  return createCodeTokens(token.content, name === '' ? context.realm.codeLanguage : name, context);
}

/**
 * Returns the markdown-it tokens of a code block,
 * `<div class="codehilite"><pre><span></span><code>…</code></pre></div>`. A recognized language is stated in an
 * attribute.
 */
function createCodeTokens(code: string, name: string, context: ParseContext): Token[] {
  const language = findCodeLanguage(name);
  const parts = highlightCode(code, language, context).flatMap(({ className, text }) =>
    className === undefined
      ? [createTextToken(text)]
      : createElementTokens('span', { class: className }, createTextToken(text)),
  );
  return createBlockElementTokens(
    'div',
    { class: 'codehilite', 'data-code-language': language?.name },
    ...createElementTokens('pre', {}, ...createElementTokens('span', {}), ...createElementTokens('code', {}, ...parts)),
  );
}
