export type {
  BackedUpSchema,
  BackedUpService,
  FileBucket,
  FileFolder,
  KeyProofs,
  NamedBucket,
  RowReader,
  StoredFiles,
  StoredKeyProof,
} from './backed-up-service.js';
export {
  type BackupCommandOptions,
  backupCommands,
  backupOptions,
  backupUsage,
  runBackupCommand,
} from './backup-command.js';
export { BackupError } from './backup-error.js';
export { checkFiles } from './check-files.js';
export { createBackup, type CreateBackupOptions } from './create-backup.js';
export type { PostgresPrograms } from './postgres-programs.js';
export { restoreBackup, type RestoreBackupOptions } from './restore-backup.js';
