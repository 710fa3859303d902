import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ApiKeysService } from './api-keys.action.js';
import { ApiKeysController } from './api-keys.controller.js';
import { BotStorage } from './bot-storage.action.js';
import { BotStorageController } from './bot-storage.controller.js';
import { BotsController } from './bots.controller.js';
import { botSnapshotParts } from './bots.snapshot.js';
import { CreateBot } from './create-bot.action.js';
import { DeactivateBot } from './deactivate-bot.action.js';
import { ListOwnBots } from './list-bots.query.js';
import { UpdateBot } from './update-bot.action.js';

/** Feature module (slice) that provides the endpoints and response parts of bots. */
export const botsFeatureModule = defineFeatureModule('bots', {
  controllers: [ApiKeysController, BotsController, BotStorageController],
  providers: [BotStorage, CreateBot, DeactivateBot, ListOwnBots, ApiKeysService, UpdateBot],
  snapshotParts: botSnapshotParts,
});
