// @ts-check
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** An editor may write a file in several steps, and a branch switch many files. */
export const settleMs = 60;

/** @param {string} file */
function isSource(file) {
  return file.endsWith('.ts') && !file.endsWith('.spec.ts');
}

/**
 * Calls back after every edit of a source below the folders, also one that an editor makes by replacing the file.
 * Each folder is watched by itself: Node's recursive watch on Linux loses a file that is replaced, and the
 * compiler's own watch mode polls.
 * @param {string[]} folders
 * @param {() => void} onEdit
 * @returns {() => void} ends the watching
 */
export function watchSources(folders, onEdit) {
  /** @type {NodeJS.Timeout | undefined} */
  let settling;
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();

  const forget = (/** @type {string} */ folder) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  const edited = () => {
    clearTimeout(settling);
    settling = setTimeout(onEdit, settleMs);
  };

  const add = (/** @type {string} */ folder) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (!existsSync(folder)) return forget(folder);
      if (name === null || isSource(name)) edited();
      else if (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()) {
        add(join(folder, name));
        // Files that came with the folder made no event that we heard.
        edited();
      }
    });
    watcher.on('error', () => forget(folder));
    watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) add(join(folder, entry.name));
    }
  };

  for (const folder of folders) add(folder);
  return () => {
    clearTimeout(settling);
    for (const folder of watchers.keys()) forget(folder);
  };
}
