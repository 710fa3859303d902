export { usersFeatureModule } from './users.slice.js';
export {
  countActiveRealmOwners,
  findRealmThatAllowsSpectators,
  listUsers,
  lockUser,
  dateJoinedSql,
  getNewestReceivedMessageId,
} from './users.repository.js';
export { lockUserForChange, createNoSuchUserError, parseUserPathReference } from './lock-user-for-change.js';
export { emitUsersBecomingVisible } from './emit-newly-visible-users.js';
export { viewerRoleEvent } from './viewer-role.events.js';
export { removeEventQueuesOfGuests, emitUsersBecomingVisibleToGuests } from './events-for-limited-guests.js';
export {
  getAudienceOfUserEvents,
  getAudiencesOfUserEvents,
  type UserEventAudience,
} from './audience-of-user-events.js';
export {
  createBotAudienceLookup,
  listActiveBotsOfOwner,
  listAdministratorIds,
  listBotRows,
  type BotRow,
} from './bots.repository.js';
export { incomingWebhookSecretConfigKey, writeBotConfig } from './bot-config.repository.js';
export { realmBotAddEvent, realmBotDeleteEvent, realmBotSecretEvent, realmBotUpdateEvent } from './bots.events.js';
export { selectBotFieldsWithoutSecrets, toWireBot, type WireBot, wireBotServiceSchema } from './wire-bot.js';
export { realmUserAvatarEvent, realmUserEmailEvent, realmUserUpdateEvent } from './user-changes.events.js';
export { checkEmail, createEmailInUseError } from './email-address-schema.js';
export { checkFullName, checkUserNameIsUnique } from './check-user-names.js';
export { addUser } from './add-user.js';
export { addSystemBots, listRealmsWithoutSystemBots, systemBots } from './system-bots.js';
export {
  toWireUser,
  wireUserSchema,
  type UserRecord,
  type WireUser,
  toWireUserForSpectator,
  type UserViewOptions,
} from './wire-user.js';
export {
  getEffectiveDefaultUserSettings,
  getEffectiveUserSettings,
  notificationSounds,
  userSettingsSchema,
} from './user-settings.js';
export { realmUserAddEvent } from './users.events.js';
export { getSnapshotOwnUser } from './own-user-in-snapshot.js';
export { getSnapshotOwnSettings } from './user-settings.snapshot.js';
export { emailVisibilityEvent } from './email-visibility.events.js';
export { userStatusEvent } from './user-status.events.js';
export { getSnapshotHiddenUsers } from './hidden-users-in-snapshot.js';
export { createViewerWithSameAddresses, createGetUsersListSource } from './user-list-cache.js';
