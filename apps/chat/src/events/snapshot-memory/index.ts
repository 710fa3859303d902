export {
  type DerivedDataSource,
  SnapshotMemory,
  type SnapshotDataReader,
  type SnapshotDataSource,
  type ValueWithSize,
} from './snapshot-memory.js';
export { snapshotModels, watchedTables } from './snapshot-watched-tables.js';
