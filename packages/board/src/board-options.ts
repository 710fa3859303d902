import type { EventLog, Jobs, Outbox } from '@switchboard/queue';
import type { BoardQueue } from './board-queue.js';

/** Methods of `Jobs` that the board uses. */
export type BoardJobs = Pick<
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
export type BoardOutbox = Pick<Outbox, 'depth' | 'discard' | 'dispatched' | 'listDeadLetters' | 'requeue'>;

/** Methods of `EventLog` that the board uses. */
export type BoardEventLog = Pick<EventLog, 'listRealms' | 'metrics'>;

/** Contents of a board. */
export interface BoardOptions {
  /** Jobs of the service. Each kind of job is a queue on the board. */
  readonly jobs?: BoardJobs | undefined;
  /** Outbox of the service. Each type of messages is a queue on the board, whose failed jobs are the dead letters. */
  readonly outbox?: BoardOutbox | undefined;
  /** Event log of the service, which the board shows on a page of its own. */
  readonly eventLog?: BoardEventLog | undefined;
  /** Further queues, whose jobs are stored elsewhere. */
  readonly queues?: readonly BoardQueue[] | undefined;
  /** Title of the page. Default: `Background queues`. */
  readonly title?: string | undefined;
  /**
   * Returns the part of a payload or a result that the board shows. `queue` is the name of the queue. Default: all,
   * so that operators see the secrets in payloads.
   */
  readonly showPayload?: ((payload: unknown, queue: string) => unknown) | undefined;
}
