export { userEndpointsSlice } from './users.slice.js';
export { AccountChanges } from './account-changes.js';
export { addedBotPayload, writeBotOwner } from './bot-owner.js';
export { deactivateAccounts } from './account-activation.js';
export { joinDefaultChannels, emitNewAccount } from './new-account.js';
export { checkPassword } from './password-rules.js';
export { WelcomeMessages } from './welcome-messages.js';
