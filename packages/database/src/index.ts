export { AdmissionTimeoutError } from './admission/admission-timeout.js';
export type { WorkClassCounts } from './admission/admission.js';
export type { PoolCounts } from './admission/pool-counts.js';
export { type WorkClass, type Workload, workClasses } from './admission/workload.js';
export { analyzeChangedTables } from './analyze-changed-tables.js';
export {
  type BackedUpSchema,
  type BackedUpService,
  type BackupCommandOptions,
  backupCommands,
  BackupError,
  backupOptions,
  backupUsage,
  checkFiles,
  createBackup,
  type CreateBackupOptions,
  type FileBucket,
  type FileFolder,
  type KeyProofs,
  type NamedBucket,
  type PostgresPrograms,
  type RowReader,
  restoreBackup,
  type RestoreBackupOptions,
  runBackupCommand,
  type StoredFiles,
  type StoredKeyProof,
} from './backup/index.js';
export { BatchedLookup, type BatchedLookupLimits } from './batched-lookup.js';
export { type ClientDisconnect, ClientDisconnectedError } from './client-disconnect.js';
export {
  ChangeChecks,
  type ChangeChecksOptions,
  type ChangeReader,
  type ChangeReport,
  type ChangeStamp,
  ChangeSweep,
  type ChangeSweepOptions,
  compareStamps,
  findTriggerFaults,
  modelChangesSql,
  readChangesSince,
  readCurrentStamp,
  readRowWithChangeStamp,
  LruCache,
  CachedValue,
  type CachedValueInput,
  type RowWithChangeStamp,
  type ChangeStampedQuery,
  type WatchedTable,
} from './changes-since/index.js';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type ServicePool,
  type TransactionOptions,
} from './database.js';
export { checkConnection, PoolerError, requirePreparedStatements } from './check-connection.js';
export { applyMigrations, type MigrationOptions } from './migrations/apply.js';
export { type ReadConnection, readIfExists } from './migrations/connect.js';
export type { Release } from './migrations/oldest-releases.js';
export { MigrationError, type MigrationFault } from './migrations/migration-error.js';
export { listMigrationNames } from './migrations/read-migrations.js';
export { type MigrationStatus, migrationStatus } from './migrations/status.js';
export type { DatabaseLogger, PoolOptions } from './pool.js';
export type { Queryable } from './tx.js';
export type { OpenPrisma, PrismaReads } from './prisma/client-types.js';
export type { BeforeCommitContext, IsolationLevel } from './transaction-settings.js';
export {
  CommitUnknownError,
  NestedTransactionError,
  TransactionAbortedError,
  TransactionClosedError,
} from './transaction-errors.js';
export { framedTransport } from './transport/framed-transport.js';
export { plainTransport } from './transport/plain-transport.js';
export type { Frame, FrameParts, Transport } from './transport/transport.js';
export type { OpenTx, QueryOutcome, Statement, Tx } from './tx.js';
export { VacuumBackoff, vacuumChangedTables, type VacuumOptions } from './vacuum-changed-tables.js';
