export { softDeactivationSlice } from './soft-deactivation.slice.js';
export { type ChannelMessageParts, concernsAwaySubscriberSql } from './concerns-away-subscriber.js';
export { softDeactivateUsers } from './deactivate-softly.js';
export {
  hasAwaySubscribers,
  omittedRowsSql,
  writeMissingRowsOfMessages,
  writeOmittedRowsSql,
} from './omitted-message-rows.js';
export { removeOldSubscriptionChanges } from './remove-old-changes.js';
export { ReturningUsers } from './returning-users.js';
export { reactivateForNotifications } from './stream-notifications.js';
