// @ts-check
/**
 * Builds the Prisma schema from which the client of an app is generated. The schema contains only the models in
 * `prisma/<app>/client.json`, without their relations to other models. The reason is that the query compiler of a
 * client uses memory and processor time for each model. The database sets default times; for `now()` Prisma would send
 * the time of the process.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPrismaSchema, getPrismaSchemaFolder } from './prisma-workspace.mjs';

/** Regular expression of a model in a Prisma schema, with the comments above the model. */
const prismaModelPattern = /(?:^\/\/\/.*\n)*^model (\w+) \{\n[\s\S]*?^\}\n?/gm;

/**
 * Returns the names of the models that an app's client contains, or null if the client contains all models.
 *
 * @param {string} app
 * @param {string} root
 * @returns {string[] | null}
 */
function listPrismaClientModelNames(app, root) {
  const path = join(getPrismaSchemaFolder(app, root), 'client.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).models : null;
}

/**
 * Returns the text of the Prisma schema from which an app's client is generated.
 *
 * @param {string} app
 * @param {string} root
 * @returns {string}
 */
export function readPrismaClientSchema(app, root) {
  const files = readPrismaSchema(app, root);
  // The generator's file comes first, so that Prisma's messages about an invalid model quote that model.
  const whole = files
    .sort((a, b) => Number(b.path.endsWith('schema.prisma')) - Number(a.path.endsWith('schema.prisma')))
    .map(({ content }) => content)
    .join('\n')
    .replaceAll('@default(now())', '@default(dbgenerated("now()"))');
  const models = listPrismaClientModelNames(app, root);
  if (models === null) return whole;
  const known = new Set([...whole.matchAll(prismaModelPattern)].map(([, name = '']) => name));
  const unknown = models.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`client.json of ${app} names models that do not exist: ${unknown.join(', ')}`);
  const isLeftOut = /** @param {string} type */ (type) => known.has(type) && !models.includes(type);
  return whole.replaceAll(prismaModelPattern, (text, name) => {
    if (!models.includes(name)) return '';
    const lines = text.split('\n');
    return lines.filter((line) => !isLeftOut(/^\s+\w+\s+(\w+)/.exec(line)?.[1] ?? '')).join('\n');
  });
}
