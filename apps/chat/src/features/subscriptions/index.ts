export { subscriptionsSlice } from './subscriptions.slice.js';
export { type Subscribed } from './subscribe.action.js';
export { type Unsubscribed } from './unsubscribe.action.js';
