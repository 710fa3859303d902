import { formatErrorText, type QueueLogger } from '../environment.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { DispatchTaskAfterCommit, OutboxDispatchFunctions } from './dispatch-functions.js';
import { SerialRunnerByKey } from './keyed-serializer.js';
import type { OutboxDispatchTarget } from './outbox-row-buffer.js';
import type { WorkerWakeupQueue } from './worker-wakeup-queue.js';

export interface OutboxDispatchCoordinatorOptions {
  logger: QueueLogger;
  /** Queue that wakes other processes to dispatch outbox rows; null if the outbox has no Redis. */
  wakeupQueue: WorkerWakeupQueue | null;
  /** False to wake a worker process after each commit instead of dispatching outbox rows in this process. */
  drainAfterCommit: boolean;
  /** Function that checks whether this process may dispatch outbox rows of the schema. Rejects if not. */
  confirm: () => Promise<void>;
}

/** Dispatches outbox rows in this process. For each message type and realm, one run is in progress at a time. */
export class OutboxDispatchCoordinator {
  private readonly serializer = new SerialRunnerByKey();
  private readonly byTopic = new Map<string, OutboxDispatchFunctions>();
  private inlineCount = 0;

  constructor(private readonly options: OutboxDispatchCoordinatorOptions) {}

  /** @throws QueueUsageError when a dispatcher is registered for a message type that already has a dispatcher */
  registerDispatchFunctions(topic: string, functions: OutboxDispatchFunctions): void {
    if (this.byTopic.has(topic)) throw new QueueUsageError(`Outbox messages ${topic} already have a dispatcher`);
    this.byTopic.set(topic, functions);
  }

  /** Names of the message types that other processes may ask this process to dispatch. */
  get topicsDispatchedOnRequest(): string[] {
    return [...this.byTopic].flatMap(([topic, { isLocal }]) => (isLocal === true ? [] : topic));
  }

  hasDispatcherOfTopic(topic: string): boolean {
    return this.byTopic.has(topic);
  }

  /**
   * Dispatches outbox rows of a message type in this process if the process may dispatch this message type after a
   * commit. Otherwise wakes a worker process.
   */
  dispatchOrWakeWorkers(target: OutboxDispatchTarget): void {
    const functions = this.byTopic.get(target.topic);
    const here = functions !== undefined && (this.options.drainAfterCommit || functions.isLocal === true);
    if (!here) return this.options.wakeupQueue?.wakeWorkerOfTopic(target);
    this.dispatchTargetAndLogErrors(target);
  }

  /** Dispatches the outbox rows of a message type and realm. Logs errors. */
  dispatchTargetAndLogErrors(target: OutboxDispatchTarget): void {
    this.dispatchRowsOfTarget(target).catch((error: unknown) => this.logDispatchFailure(target, error));
  }

  /**
   * Dispatches the outbox rows of a message type and realm now. Settles when a run that began after this call has
   * ended.
   */
  dispatchRowsOfTarget(target: OutboxDispatchTarget): Promise<void> {
    const functions = this.byTopic.get(target.topic);
    if (!functions) return Promise.resolve();
    return this.serializer.requestRun(getDispatchTargetKey(target), async () => {
      await this.options.confirm();
      await functions.dispatchRealm(target.realm);
    });
  }

  /**
   * Completes the dispatch of outbox rows that began before the commit. The completion normally reads no rows and runs
   * concurrently with other dispatches. If the promise resolves to null, starts an ordinary dispatch.
   */
  completeInlineDispatch(target: OutboxDispatchTarget, afterCommitTask: Promise<DispatchTaskAfterCommit | null>): void {
    const work = async (): Promise<void> => {
      const go = await afterCommitTask;
      if (go === null) this.dispatchOrWakeWorkers(target);
      else await go();
    };
    this.inlineCount += 1;
    this.serializer
      .requestRun(`${getDispatchTargetKey(target)}\n${this.inlineCount}`, work)
      .catch((error: unknown) => this.logDispatchFailure(target, error));
  }

  /**
   * Returns the functions that begin to dispatch outbox rows of `target` (a message type and realm) inside the writer's
   * transaction. Returns undefined while this process is dispatching rows of `target`.
   */
  findInlineDispatchFunction(target: OutboxDispatchTarget): OutboxDispatchFunctions['beforeCommit'] {
    return this.serializer.isKeyIdle(getDispatchTargetKey(target))
      ? this.byTopic.get(target.topic)?.beforeCommit
      : undefined;
  }

  waitForRunningDispatches(): Promise<void> {
    return this.serializer.waitUntilIdle();
  }

  private logDispatchFailure(target: OutboxDispatchTarget, error: unknown): void {
    this.options.logger.warn(
      { ...target, error: formatErrorText(error) },
      'dispatch of outbox rows failed, the sweep will retry',
    );
  }
}

/** Returns the text that identifies a dispatch target, which is a message type and a realm. */
export function getDispatchTargetKey({ topic, realm }: OutboxDispatchTarget): string {
  return `${topic}\n${realm}`;
}
