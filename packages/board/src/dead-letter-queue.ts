import type { DeadLetter, WaitingOutboxRowStatistics } from '@switchboard/queue';
import type { QueueBoardOutbox } from './queue-board-options.js';
import type { QueueBoardJob, QueueBoardJobPage, QueueBoardJobState, QueueBoardQueue } from './queue-board-queue.js';

/** Prefix of the names of queues that show outbox messages. Names of kinds of jobs may be equal to those of messages. */
const OUTBOX_QUEUE_PREFIX = 'outbox:';

/** The dead letters of one type of outbox messages, as the failed jobs of a queue on the board. */
class DeadLetterQueue implements QueueBoardQueue {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly states: readonly QueueBoardJobState[] = ['failed'];

  constructor(
    private readonly outbox: QueueBoardOutbox,
    private readonly statistics: WaitingOutboxRowStatistics,
  ) {
    const { topic, waiting, oldestAgeSeconds } = statistics;
    this.name = OUTBOX_QUEUE_PREFIX + topic;
    this.displayName = `${topic} (outbox)`;
    const oldest = waiting === 0 ? '' : `, the oldest for ${Math.round(oldestAgeSeconds)} s`;
    this.description = `Dead letters of the outbox. ${waiting} messages wait for dispatch${oldest}`;
  }

  async countJobs(): Promise<Partial<Record<QueueBoardJobState, number>>> {
    return { failed: this.statistics.deadLetters };
  }

  async listJobs(
    states: readonly QueueBoardJobState[],
    { offset, limit, maxBytes }: QueueBoardJobPage,
  ): Promise<QueueBoardJob[]> {
    if (!states.includes('failed')) return [];
    const letters = await this.outbox.listDeadLetters(this.type, {}, limit, offset, maxBytes);
    return letters.map((letter) => this.toBoardJob(letter));
  }

  async findJob(id: string): Promise<QueueBoardJob | null> {
    if (!isDeadLetterId(id)) return null;
    const [letter] = await this.outbox.listDeadLetters(this.type, { ids: [Number(id)] }, 1, 0, Infinity);
    return letter === undefined ? null : this.toBoardJob(letter);
  }

  async retryJob(id: string): Promise<void> {
    if (isDeadLetterId(id)) await this.outbox.requeue(this.type, { ids: [Number(id)] });
  }

  async removeJob(id: string): Promise<void> {
    if (isDeadLetterId(id)) await this.outbox.discard(this.type, { ids: [Number(id)] });
  }

  removeFailedJobs(): Promise<number> {
    return this.outbox.discard(this.type, {});
  }

  private get type(): string {
    return this.statistics.topic;
  }

  private toBoardJob(letter: DeadLetter): QueueBoardJob {
    const { id, key, payload, isShortened, attempts, error, createdAt, deadLetteredAt } = letter;
    return {
      id: String(id),
      name: key === null ? this.type : `${this.type} ${key}`,
      state: 'failed',
      data: payload,
      isShortened,
      result: null,
      error: error ?? '',
      attempts,
      addedAt: createdAt,
      startedAt: null,
      finishedAt: deadLetteredAt,
      worker: null,
    };
  }
}

const isDeadLetterId = (id: string): boolean => /^\d{1,15}$/.test(id);

/** Message type of entries of the event log, which has no dead letters. */
const EVENT_LOG_TYPE = 'event-log';

/** Prefix of the message types of jobs that were added in transactions. These jobs are on the board as jobs. */
const JOB_TYPE_PREFIX = 'job:';

/**
 * Returns a queue for each type of outbox messages that has rows, or that this process dispatches. Rows of jobs are
 * included only if there are dead letters.
 */
export async function listDeadLetterQueues(outbox: QueueBoardOutbox): Promise<DeadLetterQueue[]> {
  const withRows = await outbox.depth();
  const known = new Set(withRows.map(({ topic }) => topic));
  const withoutRows = outbox
    .dispatched()
    .filter(({ topic }) => !known.has(topic))
    .map(({ topic }) => ({ topic, waiting: 0, deadLetters: 0, oldestAgeSeconds: 0 }));
  return [...withRows, ...withoutRows]
    .filter(({ topic, deadLetters }) => deadLetters > 0 || !isTypeOfOtherPart(topic))
    .toSorted((one, other) => (one.topic < other.topic ? -1 : 1))
    .map((statistics) => new DeadLetterQueue(outbox, statistics));
}

const isTypeOfOtherPart = (topic: string): boolean => topic === EVENT_LOG_TYPE || topic.startsWith(JOB_TYPE_PREFIX);
