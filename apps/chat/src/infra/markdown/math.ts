import katex from 'katex';
import type { MarkdownIt, Token } from 'markdown-it';
import { contextOf, type ParseContext } from './parse-context.js';
import { blockElement, element, pushInline, literalToken, trustedHtmlToken } from './tokens.js';

/** Maximum length of a formula; longer ones stay text, because KaTeX output is a hundred times as long. */
const longestFormula = 1000;
/** Commands that define others, whose expansions multiply, or that write to the console of the server. */
const forbidden =
  /\\(?:[gex]?def|newcommand|renewcommand|providecommand|let|futurelet|global|long|show|(?:err)?message)(?![a-zA-Z@])/;
const inline = /(?<![$\\])\$\$([^\n$](?:\\\$|[^$\n])*)\$\$(?!\$)/y;

/** Converts `$$…$$` to a formula (docs/contract/chat.md 5.9). */
export function inlineMath(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_math', (state, silent) => {
    if (state.src[state.pos] !== '$') return false;
    inline.lastIndex = state.pos;
    const found = inline.exec(state.src);
    if (found === null) return false;
    const [source, tex = ''] = found;
    if (!silent) pushInline(state, formula(tex, contextOf(state.env), false));
    state.pos += source.length;
    return true;
  });
}

/** A fence of formulas: each paragraph of it is one. */
export function mathBlock(source: string, context: ParseContext): Token[] {
  const formulas = source.split(/\n[ \t]*\n/).filter((tex) => tex.trim() !== '');
  return formulas.flatMap((tex) => blockElement('p', {}, ...formula(tex.trim(), context, true)));
}

/** A formula, or its source where it cannot be set or is too much of it. */
function formula(tex: string, context: ParseContext, isDisplay: boolean): Token[] {
  const isAffordable =
    tex.length <= longestFormula &&
    !forbidden.test(tex) &&
    context.spend('formulas', 1) &&
    context.spend('formulaCharacters', tex.length);
  const html = isAffordable ? typeset(tex, isDisplay) : undefined;
  if (html !== undefined) return [trustedHtmlToken(html)];
  return element('span', { class: 'tex-error' }, literalToken(`$$${tex}$$`));
}

function typeset(tex: string, displayMode: boolean): string | undefined {
  try {
    return katex.renderToString(tex, {
      displayMode,
      throwOnError: true,
      // Commands that link, load or style are not for people to use on others.
      trust: false,
      maxExpand: 200,
      maxSize: 20,
      // KaTeX would write to the console about every character that it has no font for.
      strict: (problem: string) => (problem === 'unknownSymbol' ? 'error' : 'ignore'),
    });
  } catch (error) {
    if (error instanceof katex.ParseError || error instanceof RangeError) return undefined;
    throw error;
  }
}
