export { softDeactivationFeatureModule } from './soft-deactivation.slice.js';
export { type AwaySubscriberSqlParts, mayNotifyAwaySubscriberSql } from './away-subscriber-condition.js';
export { softDeactivateUsers } from './soft-deactivate-users.js';
export {
  hasConversationAwaySubscriberSql,
  omittedMessageRowsSql,
  writeOmittedRowsOfMessages,
  insertOmittedMessageRowsSql,
} from './write-omitted-message-rows.js';
export { removeOldSubscriptionChanges } from './remove-old-subscription-changes.js';
export { OmittedMessageRowWriter } from './write-rows-of-returning-users.js';
export { reactivateUsersForChannelNotifications } from './channel-notification-settings.js';
