import type { MarkdownIt, StateBlock, Token } from 'markdown-it';

/** A line of a Markdown message that starts or ends a fenced block. */
interface FencedBlockDelimiterLine {
  readonly marker: string;
  readonly length: number;
  readonly info: string;
}

/**
 * Maximum depth of nested quotes in a message. Deeper quotes are shown as Markdown source, to limit the work for one
 * message.
 */
const maxNestedQuoteDepth = 12;

const fencedContainerNames: ReadonlySet<string> = new Set(['quote', 'spoiler']);

/**
 * Adds the Markdown rule for fenced blocks: code, and the containers `quote` and `spoiler`, which may contain other
 * blocks (docs/contract/chat.md 5.9). Within a container, a fence with a name starts a nested block. The closing fence
 * of the nested block does not end the container.
 */
export function addFencedBlockRules(markdown: MarkdownIt): void {
  markdown.block.ruler.at(
    'fence',
    (state, startLine, endLine, silent) => {
      const fence = parseFenceLine(state, startLine);
      if (fence === undefined) return false;
      if (silent) return true;
      const isContainer = fencedContainerNames.has(getBlockName(fence)) && state.level < maxNestedQuoteDepth;
      const end = isContainer
        ? findEndOfContainer(state, startLine, endLine)
        : findEndOfCode(state, fence, startLine, endLine);
      if (isContainer) parseFencedContainer(state, fence, startLine, end.line);
      else parseCodeBlock(state, fence, startLine, end.line);
      state.line = end.line + (end.isClosed ? 1 : 0);
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

function getBlockName({ info }: FencedBlockDelimiterLine): string {
  return info.split(/\s/, 1)[0] ?? '';
}

function parseFenceLine(state: StateBlock, line: number): FencedBlockDelimiterLine | undefined {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const marker = state.src[start];
  if ((marker !== '`' && marker !== '~') || (state.sCount[line] ?? 0) - state.blkIndent >= 4) return undefined;
  const end = state.skipChars(start, marker.charCodeAt(0));
  const info = state.src.slice(end, state.eMarks[line]).trim();
  return end - start < 3 || (marker === '`' && info.includes('`')) ? undefined : { marker, length: end - start, info };
}

interface FencedBlockEnd {
  readonly line: number;
  /** True if the fenced block ends with a closing fence; false if the block ends without a closing fence. */
  readonly isClosed: boolean;
}

function isClosingFence(line: FencedBlockDelimiterLine | undefined, open: FencedBlockDelimiterLine): boolean {
  return line !== undefined && line.info === '' && line.marker === open.marker && line.length >= open.length;
}

/** Returns true if a line is outside of the list or quote that contains the opening fence of a block. */
function isLineOutsideParentBlock(state: StateBlock, line: number): boolean {
  return !state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent;
}

function findEndOfCode(
  state: StateBlock,
  open: FencedBlockDelimiterLine,
  startLine: number,
  endLine: number,
): FencedBlockEnd {
  for (let line = startLine + 1; line < endLine; line += 1) {
    if (isLineOutsideParentBlock(state, line)) return { line, isClosed: false };
    if (isClosingFence(parseFenceLine(state, line), open)) return { line, isClosed: true };
  }
  return { line: endLine, isClosed: false };
}

function findEndOfContainer(state: StateBlock, startLine: number, endLine: number): FencedBlockEnd {
  const open: FencedBlockDelimiterLine[] = [];
  for (let line = startLine; line < endLine; line += 1) {
    if (isLineOutsideParentBlock(state, line)) return { line, isClosed: false };
    const fence = parseFenceLine(state, line);
    const innermost = open.at(-1);
    if (fence === undefined) continue;
    if (innermost !== undefined && isClosingFence(fence, innermost)) open.pop();
    else if (innermost === undefined || fencedContainerNames.has(getBlockName(innermost))) open.push(fence);
    if (open.length === 0) return { line, isClosed: true };
  }
  return { line: endLine, isClosed: false };
}

function parseCodeBlock(state: StateBlock, { info }: FencedBlockDelimiterLine, startLine: number, end: number): void {
  const token = state.push('fence', 'code', 0);
  token.info = info;
  token.content = state.getLines(startLine + 1, end, state.sCount[startLine] ?? 0, true);
}

function parseFencedContainer(
  state: StateBlock,
  fence: FencedBlockDelimiterLine,
  startLine: number,
  end: number,
): void {
  if (getBlockName(fence) === 'quote') {
    state.push('blockquote_open', 'blockquote', 1).block = true;
    tokenizeContainerContent(state, startLine + 1, end);
    state.push('blockquote_close', 'blockquote', -1).block = true;
    return;
  }
  pushSpoilerPartStartToken(state, 'block', 'spoiler-block', false);
  pushSpoilerPartStartToken(state, 'header', 'spoiler-header', true);
  pushSpoilerHeaderTokens(state, fence.info.slice('spoiler'.length).trim());
  pushSpoilerPartEndToken(state, 'header').block = false;
  pushSpoilerPartStartToken(state, 'content', 'spoiler-content', true).attrPush(['aria-hidden', 'true']);
  tokenizeContainerContent(state, startLine + 1, end);
  pushSpoilerPartEndToken(state, 'content').block = false;
  pushSpoilerPartEndToken(state, 'block');
}

function pushSpoilerPartStartToken(state: StateBlock, part: string, className: string, block: boolean): Token {
  const token = state.push(`spoiler_${part}_open`, 'div', 1);
  token.attrPush(['class', className]);
  token.block = block;
  return token;
}

function pushSpoilerPartEndToken(state: StateBlock, part: string): Token {
  const token = state.push(`spoiler_${part}_close`, 'div', -1);
  token.block = true;
  return token;
}

function pushSpoilerHeaderTokens(state: StateBlock, text: string): void {
  if (text === '') return;
  state.push('paragraph_open', 'p', 1).block = true;
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.children = [];
  state.push('paragraph_close', 'p', -1).block = true;
}

function tokenizeContainerContent(state: StateBlock, startLine: number, endLine: number): void {
  const { lineMax, parentType } = state;
  state.lineMax = endLine;
  state.parentType = 'root';
  state.md.block.tokenize(state, startLine, endLine);
  state.lineMax = lineMax;
  state.parentType = parentType;
}
