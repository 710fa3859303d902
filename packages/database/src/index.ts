export { ConnectionWaitTimeoutError } from './admission/admission-timeout-error.js';
export type { DatabaseWorkClassCounts } from './admission/connection-admission.js';
export type { ConnectionPoolCounts } from './admission/pool-counts.js';
export {
  type DatabaseWorkClass,
  type DatabaseWorkClassAndUser,
  databaseWorkClasses,
} from './admission/database-workload.js';
export { analyzeChangedTables } from './analyze-changed-tables.js';
export {
  type ServiceMigrationCommands,
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
  type EncryptionKeyVerification,
  type S3BucketWithName,
  type PostgresProgramPaths,
  type DatabaseRowReader,
  restoreBackup,
  type RestoreBackupOptions,
  runBackupCommand,
  type ServiceFiles,
  type BackedUpEncryptionKeyProof,
} from './backup/index.js';
export { BatchedKeyLookup, type BatchedKeyLookupLimits } from './batched-lookup.js';
export { type ClientDisconnectObserver, ClientDisconnectedError } from './client-disconnect.js';
export {
  CachedDataChangeChecker,
  type CachedDataChangeCheckerOptions,
  type DatabaseSnapshotReader,
  type ModelsWithChangedRows,
  type DatabaseSnapshotStamp,
  RecordedChangeRemover,
  type RecordedChangeRemovalOptions,
  compareSnapshotStamps,
  findChangeTriggerFaults,
  createModelChangesSql,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
  readRowWithSnapshotStamp,
  LeastRecentlyUsedCache,
  CachedDatabaseValue,
  type CachedValueDependencies,
  type RowWithSnapshotStamp,
  type CachedRowQuery,
  type ChangeRecordedTable,
} from './changes-since/index.js';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type QueueConnectionPool,
  type TransactionOptions,
} from './database.js';
export {
  type ChangedCollation,
  DatabaseInspection,
  type PostgresServerFacts,
  type MissingExtension,
} from './installation/database-inspection.js';
export {
  checkDatabaseConnection,
  UnsupportedPoolerError,
  requirePreparedStatementSupport,
} from './check-database-connection.js';
export { applyMigrations, type ApplyMigrationsOptions } from './migrations/apply-migrations.js';
export { type UnpooledReadConnection, readIfDatabaseExists } from './migrations/connect-for-migrations.js';
export type { CurrentAndPreviousRelease } from './migrations/oldest-compatible-releases.js';
export { MigrationError, type MigrationFault } from './migrations/migration-error.js';
export { listMigrationNames } from './migrations/read-migrations.js';
export { type MigrationStatus, readMigrationStatus } from './migrations/migration-status.js';
export type { DatabaseLogger, ConnectionPoolOptions } from './create-pool.js';
export type { SqlStatementExecutor } from './transaction-interface.js';
export type { PrismaClientOpener, PrismaReadModels } from './prisma/prisma-client-types.js';
export type { BeforeCommitContext, TransactionIsolationLevel } from './transaction-settings.js';
export {
  UnknownCommitOutcomeError,
  NestedTransactionError,
  TransactionAbortedError,
  TransactionClosedError,
} from './transaction-errors.js';
export { framedTransactionTransport } from './transport/framed-transport.js';
export { plainTransactionTransport } from './transport/plain-transport.js';
export type { StatementFrame, FramedStatementNames, TransactionTransport } from './transport/transaction-transport.js';
export type { OpenTx, SqlStatementResult, SqlStatement, Tx } from './transaction-interface.js';
export { TableVacuumBackoff, vacuumChangedTables, type VacuumChangedTablesOptions } from './vacuum-changed-tables.js';
