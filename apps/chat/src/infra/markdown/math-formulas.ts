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

/**
 * Maximum length of a TeX formula in characters. Longer formulas remain text, because the output of KaTeX is a hundred
 * times longer than the formula.
 */
const maxFormulaLength = 1000;
/**
 * Regular expression of TeX commands that are not allowed. The commands define other commands, whose expansion can grow
 * exponentially, or write to the server's console.
 */
const forbiddenTexCommandPattern =
  /\\(?:[gex]?def|newcommand|renewcommand|providecommand|let|futurelet|global|long|show|(?:err)?message)(?![a-zA-Z@])/;
const inlineFormulaPattern = /(?<![$\\])\$\$([^\n$](?:\\\$|[^$\n])*)\$\$(?!\$)/y;

/** Adds the Markdown rule that converts `$$…$$` to a TeX formula (docs/contract/chat.md 5.9). */
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

/** Returns the markdown-it tokens of a block of TeX formulas. Each paragraph of the source is one formula. */
export function createFormulaBlockTokens(source: string, context: ParseContext): Token[] {
  const formulas = source.split(/\n[ \t]*\n/).filter((tex) => tex.trim() !== '');
  return formulas.flatMap((tex) =>
    createBlockElementTokens('p', {}, ...createFormulaTokens(tex.trim(), context, true)),
  );
}

/**
 * Returns the markdown-it tokens of a TeX formula. Returns tokens of the formula's source text if the formula is
 * invalid or exceeds the limits.
 */
function createFormulaTokens(tex: string, context: ParseContext, isDisplay: boolean): Token[] {
  const isAffordable =
    tex.length <= maxFormulaLength &&
    !forbiddenTexCommandPattern.test(tex) &&
    context.subtractParsingWorkFromBudget('formulas', 1) &&
    context.subtractParsingWorkFromBudget('formulaCharacters', tex.length);
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
