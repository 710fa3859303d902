export { softDeactivationSlice } from './soft-deactivation.slice.js';
export { type AwaySubscriberSqlParts, mayNotifyAwaySubscriberSql } from './away-subscriber-condition.js';
export { softDeactivateUsers } from './soft-deactivate-users.js';
export {
  hasAwaySubscribers,
  omittedMessageRowsSql,
  writeMissingRowsOfMessages,
  insertOmittedMessageRowsSql,
} from './write-omitted-message-rows.js';
export { removeOldSubscriptionChanges } from './remove-old-subscription-changes.js';
export { ReturningUsers } from './write-rows-of-returning-users.js';
export { reactivateForNotifications } from './channel-notification-settings.js';
