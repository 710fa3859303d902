import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import type { UIConfig } from '@bull-board/api/typings/app';
import { inventoryErrors } from '../../errors.js';

/** Path of the folder with the files that the Bull Board package provides for browsers. */
export const queueBoardFilesFolder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

/** URL path of the task board, a page that shows background tasks. */
export const queueBoardPath = '/admin/queues/';

/**
 * Content Security Policy of the task board. The policy allows the inline styles that the script of the board adds. It
 * allows files of this service, and no files of other hosts.
 */
export const queueBoardContentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'self'";

const mediaTypeByExtension: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
};

/**
 * Returns the HTML page of the task board. The page is rendered from the template of the Bull Board package, without
 * the fonts that the template would load from another host.
 */
export async function renderQueueBoardPage(config: UIConfig): Promise<string> {
  const template = await readFile(join(queueBoardFilesFolder, 'dist/index.ejs'), 'utf8');
  const values: Readonly<Record<string, string>> = {
    basePath: queueBoardPath,
    title: 'Background queues',
    favIconDefault: 'static/images/logo.svg',
    favIconAlternative: 'static/favicon-32x32.png',
    uiConfig: JSON.stringify(config).replaceAll('<', String.raw`\u003c`),
  };
  return template
    .replaceAll(/<link[^>]+href="https?:[^>]*>/g, '')
    .replaceAll(/<%[=-]\s*(\w+)\s*%>/g, (_, name: string) => values[name] ?? '');
}

/**
 * Returns one of the files that the task board's page loads, given its path below `static/`.
 *
 * @throws ApplicationError NOT_FOUND if there is no such file
 */
export async function findQueueBoardAsset(name: string): Promise<{ type: string; content: Buffer }> {
  const type = mediaTypeByExtension[name.slice(name.lastIndexOf('.') + 1)];
  const isWithin = normalize(`/${name}`) === `/${name}` && !name.includes('\0');
  if (type === undefined || !isWithin) throw inventoryErrors.create('NOT_FOUND');
  try {
    return { type, content: await readFile(join(queueBoardFilesFolder, 'dist/static', name)) };
  } catch (cause) {
    throw inventoryErrors.create('NOT_FOUND', { cause });
  }
}
