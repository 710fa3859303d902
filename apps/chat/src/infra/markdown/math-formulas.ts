import katex from 'katex';
import type { MarkdownIt, Token } from 'markdown-it';
import { getParseContext, type ParseContext } from './parse-context.js';
import {
  createBlockElementTokens,
  createElementTokens,
  pushInlineToken,
  createLiteralToken,
  createTrustedHtmlToken,
} from './create-markdown-tokens.js';

/** Maximum length of a formula. Longer formulas remain text, because the output of KaTeX is a hundred times as long. */
const maxFormulaLength = 1000;
/**
 * Pattern of TeX commands that are not allowed: they define other commands, whose expansion multiplies, or write to the
 * console of the server.
 */
const forbiddenCommands =
  /\\(?:[gex]?def|newcommand|renewcommand|providecommand|let|futurelet|global|long|show|(?:err)?message)(?![a-zA-Z@])/;
const inlineFormulaPattern = /(?<![$\\])\$\$([^\n$](?:\\\$|[^$\n])*)\$\$(?!\$)/y;

/** Markdown rule that converts `$$…$$` to a formula (docs/contract/chat.md 5.9). */
export function addInlineMathRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_math', (state, silent) => {
    if (state.src[state.pos] !== '$') return false;
    inlineFormulaPattern.lastIndex = state.pos;
    const found = inlineFormulaPattern.exec(state.src);
    if (found === null) return false;
    const [source, tex = ''] = found;
    if (!silent) pushInlineToken(state, createFormulaTokens(tex, getParseContext(state.env), false));
    state.pos += source.length;
    return true;
  });
}

/** Renders a block of formulas, one per paragraph. */
export function createMathBlock(source: string, context: ParseContext): Token[] {
  const formulas = source.split(/\n[ \t]*\n/).filter((tex) => tex.trim() !== '');
  return formulas.flatMap((tex) =>
    createBlockElementTokens('p', {}, ...createFormulaTokens(tex.trim(), context, true)),
  );
}

/** Returns the token of a TeX formula, or of its source if it is invalid or exceeds the limits. */
function createFormulaTokens(tex: string, context: ParseContext, isDisplay: boolean): Token[] {
  const isAffordable =
    tex.length <= maxFormulaLength &&
    !forbiddenCommands.test(tex) &&
    context.countParsingWork('formulas', 1) &&
    context.countParsingWork('formulaCharacters', tex.length);
  const html = isAffordable ? renderFormula(tex, isDisplay) : undefined;
  if (html !== undefined) return [createTrustedHtmlToken(html)];
  return createElementTokens('span', { class: 'tex-error' }, createLiteralToken(`$$${tex}$$`));
}

function renderFormula(tex: string, displayMode: boolean): string | undefined {
  try {
    return katex.renderToString(tex, {
      displayMode,
      throwOnError: true,
      // Commands that link, load or style are disabled, because users could harm readers with them.
      trust: false,
      maxExpand: 200,
      maxSize: 20,
      // Otherwise KaTeX writes to the console for each character that is missing in its fonts.
      strict: (problem: string) => (problem === 'unknownSymbol' ? 'error' : 'ignore'),
    });
  } catch (error) {
    if (error instanceof katex.ParseError || error instanceof RangeError) return undefined;
    throw error;
  }
}
