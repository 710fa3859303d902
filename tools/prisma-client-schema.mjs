// @ts-check
/**
 * The schema from which the client of an app is generated: the models that `prisma/<app>/client.json` names, without their
 * relations to others. The query compiler of a client takes memory and CPU for each model that it knows. Times of rows come
 * from the clock of the database: for `now()` Prisma would send that of the process.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSchema, schemaFolder } from './prisma-workspace.mjs';

/** A model with the comments above it. */
const block = /(?:^\/\/\/.*\n)*^model (\w+) \{\n[\s\S]*?^\}\n?/gm;

/**
 * Names of the models of a client; null for all.
 * @param {string} app
 * @param {string} root
 * @returns {string[] | null}
 */
function clientModels(app, root) {
  const path = join(schemaFolder(app, root), 'client.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).models : null;
}

/**
 * @param {string} app
 * @param {string} root
 * @returns {string} the text of the schema
 */
export function readClientSchema(app, root) {
  const files = readSchema(app, root);
  // The file of the generator first: what Prisma says of a broken model then quotes that model.
  const whole = files
    .sort((a, b) => Number(b.path.endsWith('schema.prisma')) - Number(a.path.endsWith('schema.prisma')))
    .map(({ content }) => content)
    .join('\n')
    .replaceAll('@default(now())', '@default(dbgenerated("now()"))');
  const models = clientModels(app, root);
  if (models === null) return whole;
  const known = new Set([...whole.matchAll(block)].map(([, name = '']) => name));
  const unknown = models.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`client.json of ${app} names models that do not exist: ${unknown.join(', ')}`);
  const isLeftOut = /** @param {string} type */ (type) => known.has(type) && !models.includes(type);
  return whole.replaceAll(block, (text, name) => {
    if (!models.includes(name)) return '';
    const lines = text.split('\n');
    return lines.filter((line) => !isLeftOut(/^\s+\w+\s+(\w+)/.exec(line)?.[1] ?? '')).join('\n');
  });
}
