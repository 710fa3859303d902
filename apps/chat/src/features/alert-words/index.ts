export { AlertWordsController } from './alert-words.controller.js';
export { alertWordEvents } from './alert-words.events.js';
export { alertWordSnapshotParts } from './alert-words.snapshot.js';
export { ChangeAlertWords } from './change-alert-words.action.js';
