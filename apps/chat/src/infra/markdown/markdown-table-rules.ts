import type { MarkdownIt, StateBlock } from 'markdown-it';

/**
 * Maximum number of cells of a Markdown table. Larger tables remain text. Rows may omit cells, so a short text could
 * otherwise create many cells.
 */
const maxTableCells = 3000;

/** Adds the Markdown rules that limit the size of tables, and render tables in the format that clients expect. */
export function addMarkdownTableRules(markdown: MarkdownIt): void {
  const rule = markdown.block.ruler.getRules('').find(({ name }) => name === 'table');
  if (rule === undefined) throw new Error('The parser has no rule for tables');
  markdown.block.ruler.at(
    'table',
    (state, startLine, endLine, silent) =>
      countTableCells(state, startLine, endLine) <= maxTableCells && rule(state, startLine, endLine, silent),
    { alt: ['paragraph', 'reference'] },
  );
  addTableCellAlignmentRule(markdown);
}

/**
 * Returns the number of cells of the Markdown table that starts at the given line; 0 if no table starts at the line.
 */
function countTableCells(state: StateBlock, startLine: number, endLine: number): number {
  if (startLine + 2 > endLine) return 0;
  const line = state.getLines(startLine + 1, startLine + 2, 0, false);
  const columns = line.split('|').length;
  if (columns * (endLine - startLine) <= maxTableCells) return 0;
  let end = startLine;
  while (end < endLine && !state.isEmpty(end)) end += 1;
  return columns * (end - startLine);
}

/**
 * Adds the rule that appends a semicolon to the alignment style of table cells. Clients expect exactly this attribute
 * value.
 */
function addTableCellAlignmentRule(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'chat_table_cells', (state) => {
    for (const token of state.tokens) {
      const style = token.type === 'th_open' || token.type === 'td_open' ? token.attrGet('style') : null;
      if (style !== null) token.attrSet('style', `${String(style).replace(':', ': ')};`);
    }
  });
}
