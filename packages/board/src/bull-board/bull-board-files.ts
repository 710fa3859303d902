import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import type { UIConfig } from '@bull-board/api/typings/app';
import { QueueBoardError } from '../queue-board-error.js';
import { escapeHtml } from '../escape-html.js';

/** Path of the folder with the files that the Bull Board package provides for browsers. */
export const bullBoardFilesFolder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

const mediaTypeByExtension: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
};

/** Paths of the icons of the page, relative to the path of the board. */
export const boardIcons = { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' } as const;

/**
 * Returns the HTML page of the board. The page is rendered from the template of the Bull Board package, without the
 * fonts that the template would load from another host.
 *
 * @param basePath URL path of the board, with a slash at the end
 */
export async function renderBullBoardPage(basePath: string, title: string, config: UIConfig): Promise<string> {
  const template = await readFile(join(bullBoardFilesFolder, 'dist/index.ejs'), 'utf8');
  const values: Readonly<Record<string, string>> = {
    basePath: escapeHtml(basePath),
    title: escapeHtml(title),
    favIconDefault: boardIcons.default,
    favIconAlternative: boardIcons.alternative,
    uiConfig: JSON.stringify(config).replaceAll('<', String.raw`\u003c`),
  };
  return template
    .replaceAll(/<link[^>]+href="https?:[^>]*>/g, '')
    .replaceAll(/<%[=-]\s*(\w+)\s*%>/g, (_, name: string) => values[name] ?? '');
}

/**
 * Returns one of the files that the page loads, given its path below `static/`.
 *
 * @throws QueueBoardError BOARD_NOT_FOUND if there is no such file
 */
export async function readBullBoardFile(name: string): Promise<{ type: string; content: Buffer }> {
  const type = mediaTypeByExtension[name.slice(name.lastIndexOf('.') + 1)];
  const isWithin = normalize(`/${name}`) === `/${name}` && !name.includes('\0');
  if (type === undefined || !isWithin) throw new QueueBoardError('BOARD_NOT_FOUND');
  try {
    return { type, content: await readFile(join(bullBoardFilesFolder, 'dist/static', name)) };
  } catch (cause) {
    throw new QueueBoardError('BOARD_NOT_FOUND', { cause });
  }
}
