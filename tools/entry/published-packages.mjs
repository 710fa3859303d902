// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** Returns the names of the folders in `packages` that are published, in alphabetical order. */
export function publishedPackages() {
  return readdirSync(join(root, 'packages'))
    .sort()
    .filter((name) => !JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private);
}
