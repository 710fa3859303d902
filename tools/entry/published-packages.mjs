// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';

/** Returns the folder names of the published packages in `packages`, in alphabetical order. */
export function listPublishedPackageFolderNames() {
  return readdirSync(join(repositoryRoot, 'packages'))
    .sort()
    .filter(
      (name) => !JSON.parse(readFileSync(join(repositoryRoot, 'packages', name, 'package.json'), 'utf8')).private,
    );
}
