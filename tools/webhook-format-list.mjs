// @ts-check
/**
 * Generates the list of chat's webhook formats from the files in the folder of the formats. `npm run gen` writes the list
 * before the apps are compiled, because the generated documents are read from the compiled apps.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repositoryRoot = resolve(import.meta.dirname, '..');
const webhookFormatFolder = 'apps/chat/src/features/integrations/formats';

export const webhookFormatListPath = `${webhookFormatFolder}/index.ts`;

/**
 * Returns the name of the constant that a file exports as its webhook format.
 *
 * @param {string} file name of a file in the folder of the formats
 */
function findWebhookFormatConstant(file) {
  const text = readFileSync(join(repositoryRoot, webhookFormatFolder, file), 'utf8');
  const names = [...text.matchAll(/^export const (\w+) = defineWebhookFormat\(/gm)].map(([, name]) => name);
  if (names.length !== 1) throw new Error(`${webhookFormatFolder}/${file} must export one webhook format`);
  return names[0];
}

/** Returns the text of the file that lists all webhook formats. */
export function createWebhookFormatList() {
  const formats = readdirSync(join(repositoryRoot, webhookFormatFolder))
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .toSorted()
    .map((file) => ({ file, constant: findWebhookFormatConstant(file) }));
  return [
    '// Written by `npm run gen` from the files of this folder.',
    "import type { WebhookFormat } from '../define-webhook-format.js';",
    ...formats.map(({ file, constant }) => `import { ${constant} } from './${file.replace(/\.ts$/, '.js')}';`),
    '',
    '/** All webhook formats, in the alphabetical order of their file names. */',
    'export const webhookFormats: readonly WebhookFormat[] = [',
    ...formats.map(({ constant }) => `  ${constant},`),
    '];',
    '',
  ].join('\n');
}

/** Writes the list of webhook formats. An unchanged file is not written. */
export function writeWebhookFormatList() {
  const path = join(repositoryRoot, webhookFormatListPath);
  const text = createWebhookFormatList();
  if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
