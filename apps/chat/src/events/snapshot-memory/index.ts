export { type DerivedSource, PartMemory, type PartReader, type PartSource, type Sized } from './part-memory.js';
export { snapshotModels, watchedTables } from './watched-tables.js';
