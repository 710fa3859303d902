export { ManageSnippets } from './manage-snippets.action.js';
export { SavedSnippetsController } from './saved-snippets.controller.js';
export { savedSnippetEvents } from './saved-snippets.events.js';
export { savedSnippetSnapshotParts } from './saved-snippets.snapshot.js';
