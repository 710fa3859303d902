export { ChangeChecks, type ChangeChecksOptions } from './change-checks.js';
export {
  type ChangeReader,
  type ChangeReport,
  type ChangeStamp,
  compareStamps,
  readChangesSince,
  readCurrentStamp,
} from './change-stamp.js';
export { ChangeSweep, type ChangeSweepOptions } from './change-sweep.js';
export { readRowWithChangeStamp, type RowWithChangeStamp, type ChangeStampedQuery } from './read-stamped.js';
export { LruCache } from './lru-cache.js';
export { CachedValue, type CachedValueInput } from './cached-value.js';
export { modelChangesSql } from './model-changes-sql.js';
export { findTriggerFaults, type WatchedTable } from './watched-tables.js';
