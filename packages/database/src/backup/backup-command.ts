import type { BackedUpService } from './backed-up-service.js';
import { BackupError } from './backup-error.js';
import { checkStoredFiles } from './check-stored-files.js';
import { createBackup } from './create-backup.js';
import { restoreBackup } from './restore-backup.js';

/** Lines of the usage text of the admin commands for backups. */
export const backupCommandUsage = `  backup --to <folder>
      Backs up the database and the stored files into an empty or new folder. The service may run meanwhile.
  restore --from <folder> [--replace] [--migrate]
      Restores a backup into an empty database while no process of the service runs. --replace replaces its tables and
      differing files, --migrate applies the migrations of this release afterwards. Exit code 3: restored, but this
      release cannot use the database yet; a line names the reason.
  check-files
      Prints rows without file and files without row. The exit code is 1 if there are any.`;

/** Options of the command line of the admin commands for backups, in the form that `parseArgs` of Node requires. */
export const backupCommandLineOptions = {
  to: { type: 'string' },
  from: { type: 'string' },
  replace: { type: 'boolean' },
  migrate: { type: 'boolean' },
} as const;

/** Parsed options of {@link backupCommandLineOptions}. */
export interface BackupCommandOptions {
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly migrate?: boolean | undefined;
}

/** Names of the admin commands for backups. */
export const backupCommandNames = ['backup', 'restore', 'check-files'] as const;

/**
 * Runs an admin command for backups and prints the command's output lines.
 *
 * @returns the exit code
 * @throws BackupError with a message for the operator
 */
export async function runBackupCommand(
  service: BackedUpService,
  command: (typeof backupCommandNames)[number],
  given: BackupCommandOptions & { readonly print: (line: string) => void },
): Promise<number> {
  const { print, to, from, replace: replaces = false, migrate: migrates = false } = given;
  try {
    if (command === 'backup') {
      await createBackup(service, { folder: requireFolderOption(to, '--to'), print });
      return 0;
    }
    if (command === 'restore') {
      const folder = requireFolderOption(from, '--from');
      return (await restoreBackup(service, { folder, replaces, migrates, print })) ? 0 : 3;
    }
    await service.schema.requireMigrations();
    return (await checkStoredFiles(service, print)) === 0 ? 0 : 1;
  } catch (error) {
    // A full disk, or a folder of another account: the message names the call and the path.
    if (error instanceof Error && 'syscall' in error && 'path' in error)
      throw new BackupError(error.message, { cause: error });
    throw error;
  }
}

function requireFolderOption(folder: string | undefined, option: string): string {
  if (folder !== undefined && folder !== '') return folder;
  throw new BackupError(`${option} is missing. It names the folder of the backup.`);
}
