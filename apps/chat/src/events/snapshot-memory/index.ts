export {
  type DerivedSource,
  SnapshotMemory,
  type SnapshotDataReader,
  type SnapshotDataSource,
  type SizedValue,
} from './snapshot-memory.js';
export { snapshotModels, watchedTables } from './snapshot-watched-tables.js';
