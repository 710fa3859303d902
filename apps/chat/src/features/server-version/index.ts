export { serverVersionSlice } from './server-version.slice.js';
export { announceVersion, type AnnouncementParts } from './announce-version.js';
