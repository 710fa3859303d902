import type { MarkdownIt, StateBlock } from 'markdown-it';

/**
 * Maximum number of cells of a Markdown table. Larger tables remain text, because rows may omit cells and a short text
 * could create many.
 */
const maxTableCells = 3000;

/** Markdown rules that limit the size of tables, and render them in the form that clients expect. */
export function addTableRules(markdown: MarkdownIt): void {
  const rule = markdown.block.ruler.getRules('').find(({ name }) => name === 'table');
  if (rule === undefined) throw new Error('The parser has no rule for tables');
  markdown.block.ruler.at(
    'table',
    (state, startLine, endLine, silent) =>
      countTableCells(state, startLine, endLine) <= maxTableCells && rule(state, startLine, endLine, silent),
    { alt: ['paragraph', 'reference'] },
  );
  alignTableCells(markdown);
}

/** Returns the number of cells of a Markdown table that starts at a line; 0 if no table starts there. */
function countTableCells(state: StateBlock, startLine: number, endLine: number): number {
  if (startLine + 2 > endLine) return 0;
  const line = state.getLines(startLine + 1, startLine + 2, 0, false);
  const columns = line.split('|').length;
  if (columns * (endLine - startLine) <= maxTableCells) return 0;
  let end = startLine;
  while (end < endLine && !state.isEmpty(end)) end += 1;
  return columns * (end - startLine);
}

/** Adds a semicolon to the alignment style of table cells, because clients compare the attribute as a whole. */
function alignTableCells(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'chat_table_cells', (state) => {
    for (const token of state.tokens) {
      const style = token.type === 'th_open' || token.type === 'td_open' ? token.attrGet('style') : null;
      if (style !== null) token.attrSet('style', `${String(style).replace(':', ': ')};`);
    }
  });
}
