// @ts-check
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Time without further file changes after which edits are reported, in milliseconds. An editor may write a file in
 * several steps, and a branch switch changes many files.
 */
export const pauseBeforeReportingEditsMs = 60;

/**
 * Returns true if a file is a TypeScript source file and not a spec file.
 * @param {string} file
 */
function isSourceFile(file) {
  return file.endsWith('.ts') && !file.endsWith('.spec.ts');
}

/**
 * Calls `onEdit` after every edit of a source file below the folders, including replaced files. Every folder is watched
 * separately, because Node's recursive watch on Linux loses a replaced file, and the compiler's watch mode polls.
 * @param {string[]} folders
 * @param {(edited: string[]) => void} onEdit function that receives the folders with edits since the last call
 * @returns {() => void} function that stops watching
 */
export function watchSourceFiles(folders, onEdit) {
  /** @type {NodeJS.Timeout | undefined} */
  let settling;
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();

  const forget = (/** @type {string} */ folder) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  /** @type {Set<string>} */
  const touched = new Set();
  const edited = (/** @type {string} */ folder) => {
    touched.add(folder);
    clearTimeout(settling);
    settling = setTimeout(() => {
      onEdit([...touched]);
      touched.clear();
    }, pauseBeforeReportingEditsMs);
  };

  const add = (/** @type {string} */ folder) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (!existsSync(folder)) return forget(folder);
      if (name === null || isSourceFile(name)) edited(folder);
      else if (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()) {
        add(join(folder, name));
        // Files that were created with the folder caused no event.
        edited(folder);
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
