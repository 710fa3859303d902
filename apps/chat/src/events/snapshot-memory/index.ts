export {
  type DerivedDataSource,
  SnapshotDataCache,
  type SnapshotDataReader,
  type SnapshotDataSource,
  type ValueWithMemorySize,
} from './snapshot-memory.js';
export { snapshotDataModelNumbers, tablesWithChangeTrigger } from './snapshot-watched-tables.js';
