export { navigationViewsSlice } from './navigation-views.slice.js';
