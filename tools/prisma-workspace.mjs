// @ts-check
/** Module that reads the Prisma schema and the migrations of an app. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository's root folder. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url));

/** Names of the apps that have a database. The apps' folders below `prisma/` have these names. */
export const appNamesWithDatabase = ['chat', 'inventory'];

const migrationNamePattern = /^\d{14}_\w+$/;

/**
 * Returns the path of the folder with an app's Prisma schema.
 *
 * @param {string} app
 * @param {string} [root]
 */
export function getPrismaSchemaFolder(app, root = repositoryRoot) {
  return join(root, 'prisma', app);
}

/**
 * Returns the paths and texts of the files of an app's Prisma schema, ordered by name.
 *
 * @param {string} app
 * @param {string} [root]
 * @returns {{ path: string, content: string }[]}
 */
export function readPrismaSchema(app, root = repositoryRoot) {
  const folder = getPrismaSchemaFolder(app, root);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({ path: join(folder, name), content: readFileSync(join(folder, name), 'utf8') }));
}

/**
 * Returns an app's migrations with folder name and SQL, oldest first.
 * @param {string} app
 * @param {string} [root]
 * @returns {{ name: string, sql: string }[]}
 */
export function readMigrationsOfApp(app, root = repositoryRoot) {
  const folder = join(getPrismaSchemaFolder(app, root), 'migrations');
  return readdirSync(folder)
    .filter((name) => migrationNamePattern.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/**
 * Returns the names of the apps that the command line contains. Without names, returns all apps.
 * @param {string[]} names
 */
export function parseAppNameArguments(names) {
  const unknown = names.filter((name) => !appNamesWithDatabase.includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown app: ${unknown.join(', ')}. Apps are ${appNamesWithDatabase.join(' and ')}.`);
  return names.length > 0 ? names : appNamesWithDatabase;
}
