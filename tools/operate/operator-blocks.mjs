// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';

/**
 * A code block of a page in `docs/operate`. `place` is the file and line of the block. `language` is the first word of
 * the block's info string. `mark` is the rest of the info string: `run`, or `example: <reason>`.
 * @typedef {{ place: string, language: string, mark: string, text: string }} OperatorBlock
 */

/**
 * Returns the code blocks of a Markdown text in order. Removes the indentation of blocks in lists.
 *
 * @param {string} file name of the file for the field `place` of the blocks
 * @param {string} markdown
 * @returns {OperatorBlock[]}
 */
export function parseMarkdownCodeBlocks(file, markdown) {
  /** @type {OperatorBlock[]} */
  const blocks = [];
  /** @type {{ indent: string, lines: string[], block: OperatorBlock } | null} */
  let open = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line);
    if (open === null && fence !== null) {
      const [, indent = '', info = ''] = fence;
      const [language = '', ...rest] = info.trim().split(' ');
      const block = { place: `${file}:${index + 1}`, language, mark: rest.join(' '), text: '' };
      open = { indent, lines: [], block };
    } else if (open !== null && fence !== null) {
      blocks.push({ ...open.block, text: open.lines.join('\n') });
      open = null;
    } else if (open !== null) {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    }
  }
  return blocks;
}

/** Returns all code blocks of the pages in `docs/operate`. */
export function listOperatorPageCodeBlocks() {
  const folder = join(repositoryRoot, 'docs/operate');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .flatMap((name) => parseMarkdownCodeBlocks(`docs/operate/${name}`, readFileSync(join(folder, name), 'utf8')));
}
