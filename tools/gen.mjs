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
 *
 * It reads the builds of the apps, which the entry script has created before.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const repositoryRoot = resolve(import.meta.dirname, '..');
const generatedApps = ['chat', 'inventory'];
const isCheckOnly = process.argv.includes('--check');

/**
 * Returns the generated texts of an app, by the path of the file for the text.
 *
 * @param {string} app
 */
async function generateFilesOf(app) {
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
function replaceMarkedTable(text, name, table) {
  const start = `<!-- generated: ${name} -->\n`;
  const from = text.indexOf(start);
  const to = text.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) throw new Error(`No page has the marker "${name}"`);
  return `${text.slice(0, from)}${start}${table.trimEnd()}\n${text.slice(to)}`;
}

/** @type {Map<string, string>} path to text */
const generatedFiles = new Map();
const configurationPagePath = 'docs/configuration.md';
let configurationPageText = readFileSync(join(repositoryRoot, configurationPagePath), 'utf8');
const auditPage = 'docs/operate/audit.md';
let audit = readFileSync(join(repositoryRoot, auditPage), 'utf8');
for (const app of generatedApps) {
  const { openApi, errorPages, configurationTable, auditTable, integrationsPage } = await generateFilesOf(app);
  generatedFiles.set(`apps/${app}/openapi.json`, openApi);
  generatedFiles.set(`docs/errors/${app}.md`, errorPages);
  if (integrationsPage !== undefined) generatedFiles.set('docs/integrations.md', integrationsPage);
  configurationPageText = replaceMarkedTable(configurationPageText, `configuration ${app}`, configurationTable);
  audit = replaceMarkedTable(audit, `audit ${app}`, auditTable);
}
generatedFiles.set(configurationPagePath, configurationPageText);
generatedFiles.set(auditPage, audit);

const outdatedFiles = [...generatedFiles].filter(
  ([path, text]) =>
    !existsSync(join(repositoryRoot, path)) || readFileSync(join(repositoryRoot, path), 'utf8') !== text,
);
if (!isCheckOnly) {
  for (const [path, text] of outdatedFiles) writeFileSync(join(repositoryRoot, path), text);
  console.log(
    outdatedFiles.length === 0
      ? 'Generated files are up to date.'
      : `Written: ${outdatedFiles.map(([path]) => path).join(', ')}`,
  );
} else if (outdatedFiles.length > 0) {
  console.log(`Out of date: ${outdatedFiles.map(([path]) => path).join(', ')}. Run: npm run gen`);
  process.exit(1);
}
