export { lockBotForChange } from './lock-bot-for-change.js';
export { botsSlice } from './bots.slice.js';
