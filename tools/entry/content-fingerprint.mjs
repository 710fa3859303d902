// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';

/**
 * Lists the files below a folder for which `wanted` returns true, sorted by path.
 *
 * @param {string} folder
 * @param {(file: string) => boolean} wanted
 * @returns {string[]}
 */
function listFilesBelowFolder(folder, wanted) {
  if (!existsSync(folder)) return [];
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules' && entry.name !== 'dist')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFilesBelowFolder(path, wanted);
      return wanted(path) ? [path] : [];
    })
    .sort();
}

/**
 * Returns a hash of the names and contents of files.
 *
 * @param {string[]} paths files and folders, relative to the repository
 * @param {(file: string) => boolean} [wanted]
 */
export function computeHashOfFiles(paths, wanted = () => true) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const path of paths) {
    for (const file of listFilesBelowFolder(join(repositoryRoot, path), wanted)) {
      hash
        .update(`${file.slice(repositoryRoot.length)}\n`)
        .update(readFileSync(file))
        .update('\n');
    }
  }
  return hash.digest('hex');
}

/**
 * Returns an object that reads and writes a stamp file. The file records for which {@link computeHashOfFiles} a
 * set-up step last ran. The stamp file is stored with the results of the step, so that a removal of the results also
 * removes the stamp file.
 *
 * @param {string} file relative to the repository
 */
export function createContentRecordFile(file) {
  const path = join(repositoryRoot, file);
  return {
    /** @param {string} fingerprint */
    says: (fingerprint) => existsSync(path) && readFileSync(path, 'utf8') === fingerprint,
    /** @param {string} fingerprint */
    write: (fingerprint) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, fingerprint);
    },
  };
}
