import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';

/**
 * Beginning of the names of temporary folders of imports. The name contains the name of the host, because machines that
 * share a file system do not share the ids of processes.
 */
const importFolderPrefix = `realm-import-${hostname()}-`;

/** Creates a temporary folder for an import by this process. The import removes the folder when the import ends. */
export function createImportFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${importFolderPrefix}${pid}-`));
}

/**
 * Removes the temporary folders of killed imports on this host. Skips a folder while the process whose id is in the
 * folder's name runs, and a folder of another operating system account.
 *
 * @param remove removes a folder with its content
 * @returns the paths of the removed folders
 */
export async function removeAbandonedImportFolders(remove = removeFolder): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(tmpdir())) {
    const ownerId = name.startsWith(importFolderPrefix)
      ? /^(\d+)-/.exec(name.slice(importFolderPrefix.length))?.[1]
      : undefined;
    if (ownerId === undefined || isImportProcessRunning(Number(ownerId))) continue;
    const folder = join(tmpdir(), name);
    try {
      await remove(folder);
      removed.push(folder);
    } catch (error) {
      if (!isOtherAccountPermissionError(error)) throw error;
    }
  }
  return removed;
}

/** Returns true if a process with this id runs, under any operating system account. */
function isImportProcessRunning(processId: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return kill(processId, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Returns true for the error of a file operation that only another operating system account may execute. */
function isOtherAccountPermissionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}
