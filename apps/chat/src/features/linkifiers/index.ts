export { LinkifiersController } from './linkifiers.controller.js';
export { addLinkifier } from './linkifiers.repository.js';
export { linkifierEvents } from './linkifiers.events.js';
export { linkifierSnapshotParts } from './linkifiers.snapshot.js';
export { ManageLinkifiers } from './manage-linkifiers.action.js';
