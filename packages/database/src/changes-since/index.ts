export { ChangeChecker, type ChangeChecksOptions } from './change-checks.js';
export {
  type ChangeStampReader,
  type ChangeReport,
  type ChangeStamp,
  compareChangeStamps,
  readChangesSince,
  readCurrentStamp,
} from './change-stamp.js';
export { RecordedChangeRemoval, type ChangeSweepOptions } from './remove-recorded-changes.js';
export {
  readRowWithChangeStamp,
  type RowWithChangeStamp,
  type ChangeStampedQuery,
} from './read-row-with-change-stamp.js';
export { LruCache } from './lru-cache.js';
export { CachedValue, type CachedValueSource } from './cached-value.js';
export { createModelChangesSql } from './model-changes-sql.js';
export { findTriggerFaults, type WatchedTable } from './watched-tables.js';
