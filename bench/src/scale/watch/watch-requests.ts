import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MonitoredRequests, SlowestResponseTimes } from './watched-request.js';

/**
 * Repeats health checks and the write of the background client while an operation runs. Records the slowest response of
 * each kind of request.
 */
export class BackgroundRequestMonitor {
  readonly #worker = new Worker(join(import.meta.dirname, 'watch-worker.js'));

  startRequests(requests: MonitoredRequests): void {
    this.#worker.postMessage(requests);
  }

  /** Waits for pending requests. Returns the slowest response times since {@link startRequests}. */
  stopRequests(): Promise<SlowestResponseTimes> {
    return new Promise((resolve, reject) => {
      const end = (): void => void this.#worker.off('message', onReport).off('error', onError);
      const onReport = (report: SlowestResponseTimes): void => {
        end();
        resolve(report);
      };
      const onError = (error: unknown): void => {
        end();
        reject(error);
      };
      this.#worker.once('message', onReport).once('error', onError);
      this.#worker.postMessage('stop');
    });
  }

  async terminateWorker(): Promise<void> {
    await this.#worker.terminate();
  }
}
