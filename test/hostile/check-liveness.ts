import { pause } from '../faults/abortable-pause.js';
import { send } from './send-hostile-request.js';

const everyMs = 25;

/** Requests `/health/live` of the attacked service repeatedly, one request at a time, until `end` is called. */
export class LivenessProbe {
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #slowestMs = 0;
  #failures: string[] = [];

  constructor(
    private readonly origin: string,
    private readonly patienceMs: number,
  ) {
    this.#running = this.#run();
  }

  /**
   * Stops the repeated requests, and waits for the last response. Returns the longest response time in milliseconds,
   * and all responses with a status other than 200.
   */
  async end(): Promise<{ slowestMs: number; failures: readonly string[] }> {
    this.#ended.abort();
    await this.#running;
    return { slowestMs: this.#slowestMs, failures: this.#failures };
  }

  async #run(): Promise<void> {
    do {
      const reply = await send(this.origin, { method: 'GET', path: '/health/live' }, this.patienceMs);
      if (reply.kind !== 'abandoned') this.#slowestMs = Math.max(this.#slowestMs, reply.tookMs);
      if (reply.kind !== 'answered' || reply.status !== 200) this.#failures.push(JSON.stringify(reply));
      await pause(everyMs, this.#ended.signal);
    } while (!this.#ended.signal.aborted);
  }
}
