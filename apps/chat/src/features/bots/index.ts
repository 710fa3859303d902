export { lockBotForChange } from './lock-bot-for-change.js';
export { botsFeatureModule } from './bots.slice.js';
