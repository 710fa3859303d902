export { userEndpointsFeatureModule } from './users.slice.js';
export { AccountUpdater } from './account-change-operations.js';
export { createBotWithOwnerPayload, changeBotOwner } from './write-bot-owner.js';
export { deactivateAccounts } from './account-activation.js';
export { subscribeAccountToDefaultChannels, emitNewAccountEvents } from './emit-new-account.js';
export { checkPasswordAgainstServerLimits } from './password-rules.js';
export { WelcomeMessageSender } from './welcome-messages.js';
