export { QueueBoardError, type QueueBoardErrorCode } from './queue-board-error.js';
export {
  createQueueBoardHandler,
  type QueueBoardGuard,
  type QueueBoardHandler,
  type QueueBoardHandlerOptions,
} from './queue-board-handler.js';
export type { QueueBoardEventLog, QueueBoardJobs, QueueBoardOptions, QueueBoardOutbox } from './queue-board-options.js';
export { queueBoardPlugin, type QueueBoardPluginOptions } from './queue-board-plugin.js';
export type {
  QueueBoardJob,
  QueueBoardJobPage,
  QueueBoardJobState,
  QueueBoardQueue,
  QueueBoardQueueActions,
  QueueBoardWorker,
} from './queue-board-queue.js';
