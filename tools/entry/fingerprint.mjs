// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Lists the files below a folder for which `wanted` returns true, sorted by path.
 *
 * @param {string} folder
 * @param {(file: string) => boolean} wanted
 * @returns {string[]}
 */
function filesBelow(folder, wanted) {
  if (!existsSync(folder)) return [];
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules' && entry.name !== 'dist')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path, wanted);
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
export function contentFingerprint(paths, wanted = () => true) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const path of paths) {
    for (const file of filesBelow(join(root, path), wanted)) {
      hash
        .update(`${file.slice(root.length)}\n`)
        .update(readFileSync(file))
        .update('\n');
    }
  }
  return hash.digest('hex');
}

/**
 * Returns an object that reads and writes a stamp file. The file records for which {@link contentFingerprint} a set-up
 * step last ran. It is stored with the results of the step, so that removing them removes the stamp.
 *
 * @param {string} file relative to the repository
 */
export function createStampFile(file) {
  const path = join(root, file);
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
