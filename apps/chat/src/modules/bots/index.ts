export { ApiKeysController } from './api-keys.controller.js';
export { BotsController } from './bots.controller.js';
export { CreateBot } from './create-bot.action.js';
export { DeactivateBot } from './deactivate-bot.action.js';
export { ListBots } from './list-bots.query.js';
export { ManageApiKeys } from './api-keys.action.js';
export { UpdateBot } from './update-bot.action.js';
