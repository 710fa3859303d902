export { usersSlice } from './users.slice.js';
export {
  countOwners,
  findSpectatedRealm,
  listUsers,
  lockUser,
  dateJoinedSql,
  maxMessageId,
} from './users.repository.js';
export { lockUserForChange, noSuchUserError, userReference } from './lock-user-for-change.js';
export { emitUsersBecomingVisible } from './emit-newly-visible-users.js';
export { viewerRoleEvent } from './viewer-role.events.js';
export { endQueuesOfLimitedGuests, emitUsersBecomingVisibleToGuests } from './events-for-limited-guests.js';
export { getAudienceOfUser, getAudiencesOfUsers, type UserAudience } from './audience-of-user-events.js';
export {
  getAudienceOfBot,
  listActiveBotsOfOwner,
  listAdministratorIds,
  listBotRows,
  type BotRow,
} from './bots.repository.js';
export { webhookSecretKey, writeBotConfig } from './bot-config.repository.js';
export { realmBotAddEvent, realmBotDeleteEvent, realmBotSecretEvent, realmBotUpdateEvent } from './bots.events.js';
export { plainBotFields, toWireBot, type WireBot, wireBotServiceSchema } from './wire-bot.js';
export { realmUserAvatarEvent, realmUserEmailEvent, realmUserUpdateEvent } from './user-changes.events.js';
export { checkEmail, createEmailInUseError } from './email-address-schema.js';
export { checkFullName, checkUniqueName } from './check-user-names.js';
export { addUser } from './add-user.js';
export { addSystemBots, listRealmsWithoutSystemBots, systemBots } from './system-bots.js';
export {
  toWireUser,
  wireUserSchema,
  type UserRecord,
  type WireUser,
  toSpectatedUser,
  type UserView,
} from './wire-user.js';
export {
  getEffectiveDefaultSettings,
  getEffectiveUserSettings,
  notificationSounds,
  userSettings,
} from './user-settings.js';
export { realmUserAddEvent } from './users.events.js';
export { ownUserSnapshotValue } from './own-user-in-snapshot.js';
export { snapshotOwnSettings } from './user-settings.snapshot.js';
export { emailVisibilityEvent } from './email-visibility.events.js';
export { userStatusEvent } from './user-status.events.js';
export { hiddenUsersSnapshotValue } from './hidden-users-in-snapshot.js';
export { createViewerWithSameAddresses, userListDataSource } from './user-list-cache.js';
