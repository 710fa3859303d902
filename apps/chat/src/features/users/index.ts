export { userEndpointsSlice } from './users.slice.js';
export { AccountChanges } from './account-change-operations.js';
export { createAddedBotPayload, writeBotOwner } from './write-bot-owner.js';
export { deactivateAccounts } from './account-activation.js';
export { joinDefaultChannels, emitNewAccount } from './emit-new-account.js';
export { checkPassword } from './password-rules.js';
export { WelcomeMessages } from './welcome-messages.js';
