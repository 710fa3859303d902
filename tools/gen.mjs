// @ts-check
/**
 * `npm run gen`: regenerates the committed files. With --check it writes nothing, prints the names of files that
 * differ, and exits with 1 if there are any.
 *
 * - apps/<app>/openapi.json from the zod schemas
 * - docs/errors/<app>.md from the error catalogs
 * - the tables of docs/configuration.md from the configuration schemas
 * - the tables of docs/operate/audit.md from the audit actions
 * - docs/integrations.md from the formats of chat's incoming webhooks
 * - the list of these formats from the files in their folder
 *
 * It reads the builds of the apps, which the entry script has created before.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createWebhookFormatList, webhookFormatListPath } from './webhook-format-list.mjs';

const repositoryRoot = resolve(import.meta.dirname, '..');
const generatedAppNames = ['chat', 'inventory'];
const onlyChecksGeneratedFiles = process.argv.includes('--check');

/**
 * Returns the generated texts of an app, by the path of the file for the text.
 *
 * @param {string} app
 */
async function generateFilesOfApp(app) {
  const module = await import(pathToFileURL(join(repositoryRoot, 'apps', app, 'dist/generate.js')).href);
  /** @type {{ openApi: string, errorPages: string, configurationTable: string, auditTable: string, integrationsPage?: string }} */
  const generated = await module.generateFiles();
  return generated;
}

/**
 * Returns a text in which the content between the markers of a Markdown table is replaced by a new table.
 *
 * @param {string} text
 * @param {string} name
 * @param {string} table
 */
function replaceMarkedMarkdownTable(text, name, table) {
  const start = `<!-- generated: ${name} -->\n`;
  const from = text.indexOf(start);
  const to = text.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) throw new Error(`No page has the marker "${name}"`);
  return `${text.slice(0, from)}${start}${table.trimEnd()}\n${text.slice(to)}`;
}

/** @type {Map<string, string>} path to text */
const generatedTextByPath = new Map();
const configurationPagePath = 'docs/configuration.md';
let configurationPageText = readFileSync(join(repositoryRoot, configurationPagePath), 'utf8');
const auditPage = 'docs/operate/audit.md';
let audit = readFileSync(join(repositoryRoot, auditPage), 'utf8');
for (const app of generatedAppNames) {
  const { openApi, errorPages, configurationTable, auditTable, integrationsPage } = await generateFilesOfApp(app);
  generatedTextByPath.set(`apps/${app}/openapi.json`, openApi);
  generatedTextByPath.set(`docs/errors/${app}.md`, errorPages);
  if (integrationsPage !== undefined) generatedTextByPath.set('docs/integrations.md', integrationsPage);
  configurationPageText = replaceMarkedMarkdownTable(configurationPageText, `configuration ${app}`, configurationTable);
  audit = replaceMarkedMarkdownTable(audit, `audit ${app}`, auditTable);
}
generatedTextByPath.set(configurationPagePath, configurationPageText);
generatedTextByPath.set(auditPage, audit);
generatedTextByPath.set(webhookFormatListPath, createWebhookFormatList());

const outdatedGeneratedFiles = [...generatedTextByPath].filter(
  ([path, text]) =>
    !existsSync(join(repositoryRoot, path)) || readFileSync(join(repositoryRoot, path), 'utf8') !== text,
);
if (!onlyChecksGeneratedFiles) {
  for (const [path, text] of outdatedGeneratedFiles) writeFileSync(join(repositoryRoot, path), text);
  console.log(
    outdatedGeneratedFiles.length === 0
      ? 'Generated files are up to date.'
      : `Written: ${outdatedGeneratedFiles.map(([path]) => path).join(', ')}`,
  );
} else if (outdatedGeneratedFiles.length > 0) {
  console.log(`Out of date: ${outdatedGeneratedFiles.map(([path]) => path).join(', ')}. Run: npm run gen`);
  process.exit(1);
}
