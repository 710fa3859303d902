export type {
  ServiceMigrationCommands,
  BackedUpService,
  ServiceFileBucket,
  ServiceFileFolder,
  EncryptionKeyVerification,
  S3BucketWithName,
  DatabaseRowReader,
  ServiceFiles,
  BackedUpEncryptionKeyProof,
} from './backed-up-service.js';
export {
  type BackupCommandOptions,
  backupCommandNames,
  backupCommandLineOptions,
  backupCommandUsage,
  runBackupCommand,
} from './backup-command.js';
export { BackupError } from './backup-error.js';
export { checkStoredFiles } from './check-stored-files.js';
export { createBackup, type CreateBackupOptions } from './create-backup.js';
export type { PostgresProgramPaths } from './postgres-programs.js';
export { restoreBackup, type RestoreBackupOptions } from './restore-backup.js';
