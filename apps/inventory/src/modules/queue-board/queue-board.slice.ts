import { defineSlice } from '../../http/define-slice.js';
import { QueueBoardController } from './queue-board.controller.js';

export const queueBoardSlice = defineSlice('queue-board', {
  controllers: [QueueBoardController],
});
