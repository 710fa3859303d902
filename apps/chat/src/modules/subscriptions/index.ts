export { AnnounceChannels } from './announce-channels.js';
export { CreateChannel } from './create-channel.action.js';
export { ReadSubscriptions } from './read-subscriptions.query.js';
export { SetPreferences } from './set-preferences.action.js';
export { Subscribe, type Subscribed } from './subscribe.action.js';
export { SubscriptionsController } from './subscriptions.controller.js';
export { Unsubscribe, type Unsubscribed } from './unsubscribe.action.js';
export { UpdateSubscriptions } from './update-subscriptions.action.js';
