export { QueueBoardModule, type QueueBoardModuleOptions, type QueueBoardMount } from './board/queue-board.module.js';
