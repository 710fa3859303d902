import type { EventLog, Jobs, Outbox } from '@switchboard/queue';
import type { QueueBoardQueue } from './queue-board-queue.js';

/** Methods of `Jobs` that the board uses. */
export type QueueBoardJobs = Pick<
  Jobs,
  | 'counts'
  | 'find'
  | 'findFailed'
  | 'isPaused'
  | 'kinds'
  | 'list'
  | 'pause'
  | 'removeFailed'
  | 'requeue'
  | 'resume'
  | 'workingProcesses'
>;

/** Methods of `Outbox` that the board uses. */
export type QueueBoardOutbox = Pick<Outbox, 'depth' | 'discard' | 'dispatched' | 'listDeadLetters' | 'requeue'>;

/** Methods of `EventLog` that the board uses. */
export type QueueBoardEventLog = Pick<EventLog, 'listRealms' | 'metrics'>;

/** Contents of a board. */
export interface QueueBoardOptions {
  /** Jobs of the service. Each kind of job is a queue on the board. */
  readonly jobs?: QueueBoardJobs | undefined;
  /** Outbox of the service. Each type of messages is a queue on the board, whose failed jobs are the dead letters. */
  readonly outbox?: QueueBoardOutbox | undefined;
  /** Event log of the service, which the board shows on a page of its own. */
  readonly eventLog?: QueueBoardEventLog | undefined;
  /** Further queues, whose jobs are stored elsewhere. */
  readonly queues?: readonly QueueBoardQueue[] | undefined;
  /** Title of the page. Default: `Background queues`. */
  readonly title?: string | undefined;
  /**
   * Returns the part of a payload or a result that the board shows. `queue` is the name of the queue. Default: all,
   * so that operators see the secrets in payloads.
   */
  readonly showPayload?: ((payload: unknown, queue: string) => unknown) | undefined;
}
