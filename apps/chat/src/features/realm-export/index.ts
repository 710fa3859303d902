export { realmExportSlice } from './realm-export.slice.js';
export { emitExportConsents } from './list-exports.js';
