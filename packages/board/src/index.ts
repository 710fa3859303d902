export { BoardError, type BoardErrorCode } from './board-error.js';
export { createBoardHandler, type BoardGuard, type BoardHandler, type BoardHandlerOptions } from './board-handler.js';
export type { BoardEventLog, BoardJobs, BoardOptions, BoardOutbox } from './board-options.js';
export { boardPlugin, type BoardPluginOptions } from './board-plugin.js';
export type {
  BoardJob,
  BoardJobPage,
  BoardJobState,
  BoardQueue,
  BoardQueueActions,
  BoardWorker,
} from './board-queue.js';
