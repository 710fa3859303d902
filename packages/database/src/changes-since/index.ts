export { CachedDataChangeChecker, type CachedDataChangeCheckerOptions } from './change-checks.js';
export {
  type DatabaseSnapshotReader,
  type ModelsWithChangedRows,
  type DatabaseSnapshotStamp,
  compareSnapshotStamps,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
} from './change-stamp.js';
export { RecordedChangeRemover, type RecordedChangeRemovalOptions } from './remove-recorded-changes.js';
export {
  readRowWithSnapshotStamp,
  type RowWithSnapshotStamp,
  type CachedRowQuery,
} from './read-row-with-change-stamp.js';
export { LeastRecentlyUsedCache } from './lru-cache.js';
export { CachedDatabaseValue, type CachedValueDependencies } from './cached-value.js';
export { createModelChangesSql } from './model-changes-sql.js';
export { findChangeTriggerFaults, type ChangeRecordedTable } from './watched-tables.js';
