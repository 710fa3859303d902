export { announceVersion, type AnnouncementParts } from './announce-version.js';
export { serverVersionEvents } from './server-version.events.js';
