import type { Worker } from 'node:cluster';
import { systemClock } from '../clock.js';
import type { HealthReport } from '../lifecycle/process-health.js';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.js';
import {
  isSupervisedProcessMessage,
  type ProcessResponseByRequest,
  type SupervisorMessage,
} from './supervisor-messages.js';

/**
 * Time in milliseconds after which a request of the supervisor to a process fails without a response. The time is
 * longer than the time limit of health checks in the process.
 */
const PROCESS_REQUEST_TIMEOUT_MS = 2_500;

/** Description of a process's end: the reason, and whether the end was orderly. */
export interface ProcessEnd {
  /** Exit code, signal or error with which the process ended, as text for a log line. */
  readonly reason: string;
  /** True if the process has ended with exit code 0 or by SIGTERM. */
  readonly isOrderly: boolean;
}

/**
 * A process of the service that the supervisor has started, and the requests that wait for a response from this
 * process.
 */
export class SupervisedProcess {
  /** Promise that resolves when the process has ended, with the reason of the end. */
  readonly ended: Promise<ProcessEnd>;
  /** Promise that resolves when the readiness check of the process has passed for the first time. */
  readonly ready: Promise<void>;
  /** True if the supervisor has requested the end of the process, so that the process is not restarted. */
  isLeaving = false;
  /** True if the readiness check of the process has passed at least once. */
  hasBeenReady = false;
  /**
   * Metrics from the last response of the process. After the death of the process, these metrics are included in the
   * totals.
   */
  lastMetrics: MetricsSnapshot | undefined;
  #end: ProcessEnd | undefined;
  #isListening = false;
  #requests = 0;
  readonly #waiting = new Map<
    number,
    (body: ProcessResponseByRequest[keyof ProcessResponseByRequest] | undefined) => void
  >();

  constructor(private readonly worker: Worker) {
    this.ended = new Promise((resolve) => {
      const finish = (end: ProcessEnd): void => {
        this.#end = end;
        for (const respond of this.#waiting.values()) respond(undefined);
        resolve(end);
      };
      // Not at `exit`, because messages may arrive after it.
      worker.process.once('close', (code, signal) => {
        // A process that does not handle signals yet ends by SIGTERM itself.
        finish({ reason: signal ?? `exit code ${code}`, isOrderly: code === 0 || signal === 'SIGTERM' });
      });
      worker.process.on('error', ({ message }) => {
        // A process that could not be started emits no other event.
        if (worker.process.pid === undefined) finish({ reason: message, isOrderly: false });
      });
    });
    // The module emits the same errors for the worker. Without a listener they would end the supervisor.
    worker.on('error', () => undefined);
    this.ready = new Promise((resolve) => this.#listen(resolve));
  }

  get pid(): number {
    return this.worker.process.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  /** True since the process has reported to the supervisor that it accepts requests. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /**
   * Requests the health report of the process. Returns undefined if the process does not listen or does not respond in
   * time.
   */
  requestHealth(): Promise<HealthReport | undefined> {
    return this.#request('health');
  }

  /**
   * Requests the metrics of the process. Returns undefined if the process does not listen or does not respond in time.
   */
  async requestMetrics(): Promise<MetricsSnapshot | undefined> {
    const metrics = await this.#request('metrics');
    this.lastMetrics = metrics ?? this.lastMetrics;
    return metrics;
  }

  /**
   * Stops the process and kills it after a time limit. A process that is being stopped already receives no second order,
   * which would end it at once.
   *
   * @param how `replaced`: the process serves its connections for a further second, because its successor is ready
   * @param killAfterMs time limit in milliseconds
   */
  async stop(how: 'stop' | 'replaced', killAfterMs: number): Promise<ProcessEnd> {
    if (!this.isLeaving) {
      this.isLeaving = true;
      // A message, because a signal of the service manager may have reached the process before. A process that does not
      // listen yet would not receive it.
      const isNotified = this.#isListening && this.#send({ supervisor: how });
      if (!isNotified) this.worker.process.kill('SIGTERM');
    }
    const timer = systemClock.setTimeout(() => this.kill(), killAfterMs);
    const end = await this.ended;
    systemClock.clearTimeout(timer);
    return end;
  }

  /** Kills the process immediately with SIGKILL. */
  kill(): void {
    this.isLeaving = true;
    if (this.isRunning) this.worker.process.kill('SIGKILL');
  }

  #listen(becomeReady: () => void): void {
    this.worker.on('message', (message: unknown) => {
      if (!isSupervisedProcessMessage(message)) return;
      if (message.process === 'listening') this.#isListening = true;
      else if (message.process === 'ready') {
        this.hasBeenReady = true;
        becomeReady();
      } else if (message.process === 'last metrics') this.lastMetrics = message.body;
      else this.#waiting.get(message.id)?.(message.body);
    });
  }

  #request<K extends keyof ProcessResponseByRequest>(kind: K): Promise<ProcessResponseByRequest[K] | undefined> {
    if (!this.#isListening) return Promise.resolve(undefined);
    const id = (this.#requests += 1);
    return new Promise((resolve) => {
      const timer = systemClock.setTimeout(() => respond(undefined), PROCESS_REQUEST_TIMEOUT_MS);
      const respond = (body: ProcessResponseByRequest[keyof ProcessResponseByRequest] | undefined): void => {
        systemClock.clearTimeout(timer);
        this.#waiting.delete(id);
        // The process responds with the form of the request's kind.
        resolve(body as ProcessResponseByRequest[K] | undefined);
      };
      this.#waiting.set(id, respond);
      if (!this.#send({ supervisor: kind, id })) respond(undefined);
    });
  }

  /** Sends a message to the process. Returns false if the process can no longer receive messages. */
  #send(message: SupervisorMessage): boolean {
    if (!this.isRunning || !this.worker.isConnected()) return false;
    // The callback takes the error of a process that dies at this moment.
    this.worker.process.send(message, undefined, undefined, () => undefined);
    return true;
  }
}
