export { UsersController } from './users.controller.js';
export { ReadUsers } from './read-users.query.js';
export { listUsers } from './users.repository.js';
export { addUser, type NewUser } from './add-user.js';
export { toWireUser, wireUser, type UserRecord, type WireUser } from './wire-user.js';
export {
  effectiveUserSettings,
  emojisetChoices,
  notificationSounds,
  userSettings,
  type UserSettings,
} from './user-settings.js';
export { realmUserAddEvent } from './users.events.js';
