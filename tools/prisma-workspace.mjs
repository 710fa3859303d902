// @ts-check
/** Folders of each app's Prisma schema and migrations, and the functions by which the tools read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const repository = fileURLToPath(new URL('..', import.meta.url));

/** Apps with a database of their own; the names of the folders under `prisma/`. */
export const apps = ['chat', 'inventory'];

const migrationName = /^\d{14}_\w+$/;

/**
 * @param {string} app
 * @param {string} [root]
 */
export function schemaFolder(app, root = repository) {
  return join(root, 'prisma', app);
}

/**
 * The files of an app's schema, in the order of their names.
 * @param {string} app
 * @param {string} [root]
 * @returns {{ path: string, content: string }[]}
 */
export function readSchema(app, root = repository) {
  const folder = schemaFolder(app, root);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({ path: join(folder, name), content: readFileSync(join(folder, name), 'utf8') }));
}

/**
 * An app's migrations, oldest first: folder name and SQL.
 * @param {string} app
 * @param {string} [root]
 * @returns {{ name: string, sql: string }[]}
 */
export function readMigrations(app, root = repository) {
  const folder = join(schemaFolder(app, root), 'migrations');
  return readdirSync(folder)
    .filter((name) => migrationName.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/**
 * The apps that a command line names, or all of them.
 * @param {string[]} names
 */
export function chosenApps(names) {
  const unknown = names.filter((name) => !apps.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown app: ${unknown.join(', ')}. Apps are ${apps.join(' and ')}.`);
  return names.length > 0 ? names : apps;
}
