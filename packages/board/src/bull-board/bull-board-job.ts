import type { JobState, QueueJob, QueueJobJson } from '@bull-board/api/typings/app';
import { QueueBoardError } from '../queue-board-error.js';
import type { QueueBoardJob, QueueBoardQueue } from '../queue-board-queue.js';

/** Text that a job of a list contains in place of its payload, if the payloads of the page are too large. */
const OMITTED_PAYLOAD = 'The payloads of this page are too large. Open the job to see its payload.';

/** A job in the form that Bull Board expects, with the actions of the queue. */
export class BullBoardJob implements QueueJob {
  readonly opts: { delay?: number } = {};

  constructor(
    private readonly job: QueueBoardJob,
    private readonly queue: QueueBoardQueue,
    private readonly show: (payload: unknown) => unknown,
  ) {}

  async promote(): Promise<void> {
    await this.queue.promoteJob?.(this.job.id);
  }

  async remove(): Promise<void> {
    const isRemoved = await this.queue.removeJob?.(this.job.id);
    if (isRemoved === false) throw new QueueBoardError('BOARD_NOT_FOUND');
  }

  async retry(): Promise<void> {
    await this.queue.retryJob?.(this.job.id);
  }

  async getState(): Promise<JobState> {
    return this.job.state;
  }

  toJSON(): QueueJobJson {
    const { job } = this;
    return {
      id: job.id,
      name: job.name,
      progress: job.progress ?? 0,
      attemptsMade: job.attempts,
      timestamp: job.addedAt.getTime(),
      processedOn: job.startedAt?.getTime() ?? null,
      finishedOn: job.finishedAt?.getTime() ?? null,
      processedBy: job.worker,
      ...(job.delayMs === undefined ? {} : { delay: job.delayMs }),
      failedReason: job.error ?? '',
      stacktrace: job.error === null ? [] : [job.stack ?? job.error],
      data: job.isShortened === true ? OMITTED_PAYLOAD : this.show(job.data),
      returnvalue: job.result === null ? null : this.show(job.result),
      opts: {},
    };
  }
}
