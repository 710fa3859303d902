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
export { readStamped, type Stamped, type StampedRead } from './read-stamped.js';
export { RecentlyUsed } from './recently-used.js';
export { Remembered, type RememberedInput } from './remembered.js';
export { modelChangesSql } from './schema.js';
export { findTriggerFaults, type WatchedTable } from './watched-tables.js';
