export { realmExportSlice } from './realm-export.slice.js';
export { ExportLinks } from './export-links.js';
export { emitExportConsents } from './list-realm-exports.js';
