export { userEndpointsSlice } from './users.slice.js';
export { AccountChanges } from './account-changes.js';
export { addedBot, writeBotOwner } from './bot-owner.js';
export { deactivateAccounts } from './change-activity.js';
export { joinDefaultChannels, writeArrivalEvents } from './new-account.js';
export { checkPassword } from './password-rules.js';
export { Welcome } from './welcome.js';
