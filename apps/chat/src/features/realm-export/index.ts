export { realmExportFeatureModule } from './realm-export.slice.js';
export { ExportDownloadLinks } from './export-links.js';
export { emitExportConsents } from './list-realm-exports.js';
