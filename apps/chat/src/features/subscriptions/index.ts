export { subscriptionsSlice } from './subscriptions.slice.js';
