export { AdmissionTimeoutError } from './admission/admission-timeout-error.js';
export type { WorkClassCounts } from './admission/connection-admission.js';
export type { PoolCounts } from './admission/pool-counts.js';
export { type DatabaseWorkClass, type DatabaseWorkload, databaseWorkClasses } from './admission/database-workload.js';
export { analyzeChangedTables } from './analyze-changed-tables.js';
export {
  type ServiceMigrations,
  type BackedUpService,
  type BackupCommandOptions,
  backupCommandNames,
  BackupError,
  backupCommandLineOptions,
  backupCommandUsage,
  checkStoredFiles,
  createBackup,
  type CreateBackupOptions,
  type ServiceFileBucket,
  type ServiceFileFolder,
  type KeyProofComparison,
  type S3BucketWithName,
  type PostgresProgramPaths,
  type RowReader,
  restoreBackup,
  type RestoreBackupOptions,
  runBackupCommand,
  type ServiceFiles,
  type StoredKeyProof,
} from './backup/index.js';
export { BatchedLookup, type BatchedLookupLimits } from './batched-lookup.js';
export { type ClientDisconnect, ClientDisconnectedError } from './client-disconnect.js';
export {
  ChangeChecker,
  type ChangeChecksOptions,
  type ChangeStampReader,
  type ChangeReport,
  type ChangeStamp,
  RecordedChangeRemoval,
  type ChangeSweepOptions,
  compareChangeStamps,
  findTriggerFaults,
  createModelChangesSql,
  readChangesSince,
  readCurrentStamp,
  readRowWithChangeStamp,
  LruCache,
  CachedValue,
  type CachedValueSource,
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
export {
  type ChangedCollation,
  DatabaseInspection,
  type DatabaseServer,
  type MissingExtension,
} from './installation/database-inspection.js';
export { checkDatabaseConnection, PoolerError, requirePreparedStatements } from './check-database-connection.js';
export { applyMigrations, type MigrationOptions } from './migrations/apply-migrations.js';
export { type UnpooledReadConnection, readIfDatabaseExists } from './migrations/connect-for-migrations.js';
export type { ReleaseVersions } from './migrations/oldest-releases.js';
export { MigrationError, type MigrationFault } from './migrations/migration-error.js';
export { listMigrationNames } from './migrations/read-migrations.js';
export { type MigrationStatus, readMigrationStatus } from './migrations/migration-status.js';
export type { DatabaseLogger, PoolOptions } from './create-pool.js';
export type { Queryable } from './transaction-interface.js';
export type { OpenPrismaClient, PrismaReadModels } from './prisma/prisma-client-types.js';
export type { BeforeCommitContext, IsolationLevel } from './transaction-settings.js';
export {
  CommitUnknownError,
  NestedTransactionError,
  TransactionAbortedError,
  TransactionClosedError,
} from './transaction-errors.js';
export { framedTransport } from './transport/framed-transport.js';
export { plainTransport } from './transport/plain-transport.js';
export type { StatementFrame, FramedStatementNames, TransactionTransport } from './transport/transaction-transport.js';
export type { OpenTx, QueryOutcome, Statement, Tx } from './transaction-interface.js';
export { VacuumBackoff, vacuumChangedTables, type VacuumOptions } from './vacuum-changed-tables.js';
