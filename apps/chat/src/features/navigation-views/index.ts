export { ManageViews } from './manage-views.action.js';
export { NavigationViewsController } from './navigation-views.controller.js';
export { navigationViewEvents } from './navigation-views.events.js';
export { navigationViewSnapshotParts } from './navigation-views.snapshot.js';
