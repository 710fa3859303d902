import { defineFeatureModule } from '../../http/define-slice.js';
import { QueueBoardController } from './queue-board.controller.js';

export const queueBoardFeatureModule = defineFeatureModule('queue-board', {
  controllers: [QueueBoardController],
});
