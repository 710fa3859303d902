import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, type Clock } from '../clock.js';
import type { Logger } from '../logging/logger.js';
import { isSupervisedProcess } from '../supervisor/supervisor-messages.js';

/**
 * Names of the shutdown phases, in order. They announce the shutdown, stop accepting work, finish running work, report
 * results, and close the connections to Redis and PostgreSQL.
 */
export const shutdownPhases = ['notice', 'intake', 'drain', 'report', 'redis', 'postgres', 'end'] as const;
export type ShutdownPhase = (typeof shutdownPhases)[number];

/**
 * Function that closes one resource during shutdown. The signal `hurry` is aborted after four fifths of the total
 * shutdown time. The function should then abort its remaining work, so that later phases have time left.
 */
export type ShutdownFunction = (hurry: AbortSignal) => Promise<void>;

/** Options of {@link Shutdown}. The time limit applies to all phases together. */
export interface ShutdownOptions {
  /** Total time for all shutdown phases, in milliseconds. */
  timeoutMs: number;
  logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
  clock?: Clock;
  /** Function that ends the process with an exit code. Tests replace this function. */
  exit?: (code: number) => void;
  /**
   * True if SIGHUP stops the process. Default: true, but false in a process with a supervisor, because the supervisor
   * handles SIGHUP.
   */
  stopsOnHangup?: boolean;
}

interface ShutdownStep {
  name: string;
  close: ShutdownFunction;
}

/**
 * Time in milliseconds within which a second signal is treated as part of the same Ctrl-C. A terminal sends the signal
 * to the whole process group, and a supervisor forwards the signal in addition.
 */
const REPEATED_SIGNAL_MS = 500;

/**
 * Shuts the process down in phases. Steps of one phase run concurrently, and phases run one after another, all within
 * one time limit. An error of a step is logged, and the other steps continue.
 */
export class Shutdown {
  readonly #steps = new Map<ShutdownPhase, ShutdownStep[]>(shutdownPhases.map((phase) => [phase, []]));
  readonly #clock: Clock;
  readonly #exit: (code: number) => void;
  #shutdownResult: Promise<boolean> | undefined;
  #startedAt = 0;
  /**
   * Time of the shutdown's start, in milliseconds since the epoch. After SIGHUP, the time of the first further signal.
   */
  #signalledAt = 0;
  /** True after the process has received SIGHUP, until the process receives another signal. */
  #isHungUp = false;
  #listensToSignals = false;

  constructor(private readonly options: ShutdownOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#exit = options.exit ?? ((code) => process.exit(code));
  }

  /** True if the shutdown has started by a call of {@link run}. */
  get hasStarted(): boolean {
    return this.#shutdownResult !== undefined;
  }

  /** Registers a step of a shutdown phase. A step that is registered after the end of its phase runs immediately. */
  addStep(phase: ShutdownPhase, name: string, close: ShutdownFunction): void {
    const steps = this.#steps.get(phase);
    if (steps === undefined) {
      void this.#closeStep({ name, close }, AbortSignal.abort());
      return;
    }
    steps.push({ name, close });
  }

  /**
   * Runs all shutdown phases. Further calls wait for the first.
   *
   * @param reason cause to log, such as the name of a signal
   * @returns true if every step ended by itself, without an error and in time
   */
  run(reason: string): Promise<boolean> {
    if (this.#shutdownResult === undefined) {
      this.#startedAt = this.#clock.now();
      this.#signalledAt = this.#startedAt;
      this.#shutdownResult = this.#runPhases(reason);
    }
    return this.#shutdownResult;
  }

  /**
   * Stops the process on SIGTERM and SIGINT, with exit code 0 after an orderly shutdown and 1 otherwise. A second
   * signal, at least half a second later, ends the process immediately with code 1. An uncaught error stops the process
   * with code 1. SIGHUP also stops the process with code 1, so that a service manager restarts the service with changed
   * files.
   */
  listenForSignals(): void {
    if (this.#listensToSignals) {
      return;
    }
    this.#listensToSignals = true;
    process.on('SIGTERM', this.#onSignal);
    process.on('SIGINT', this.#onSignal);
    process.on('uncaughtException', this.#onUncaughtError);
    if (this.options.stopsOnHangup ?? !isSupervisedProcess()) process.on('SIGHUP', this.#onHangup);
  }

  /** Removes the signal handlers of {@link listenForSignals}. */
  stopListeningForSignals(): void {
    this.#listensToSignals = false;
    process.off('SIGTERM', this.#onSignal);
    process.off('SIGINT', this.#onSignal);
    process.off('uncaughtException', this.#onUncaughtError);
    process.off('SIGHUP', this.#onHangup);
  }

  /**
   * Runs all shutdown phases, then ends the process.
   *
   * @param code exit code of the process. Default: 0 after an orderly shutdown, otherwise 1
   */
  async stopAndExit(reason: string, code?: number): Promise<void> {
    const clean = await this.run(reason);
    this.#exit(code ?? (clean ? 0 : 1));
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#shutdownResult === undefined || this.#isHungUp) {
      this.#isHungUp = false;
      // Signals after this one count from now on, not from SIGHUP.
      this.#signalledAt = this.#clock.now();
      void this.stopAndExit(signal);
    } else if (this.#clock.now() - this.#signalledAt >= REPEATED_SIGNAL_MS) {
      this.options.logger.warn({ signal }, 'second signal: exiting immediately');
      this.#exit(1);
    }
  };

  readonly #onHangup = (): void => {
    if (this.#shutdownResult !== undefined) return;
    this.#isHungUp = true;
    void this.run('SIGHUP').then(() => {
      if (this.#isHungUp) this.#exit(1);
    });
  };

  readonly #onUncaughtError = (error: unknown): void => {
    this.options.logger.fatal({ err: error }, 'uncaught error, stopping the process');
    void this.run('uncaught error').then(() => this.#exit(1));
  };

  async #runPhases(reason: string): Promise<boolean> {
    const { logger, timeoutMs } = this.options;
    logger.info({ reason }, 'stopping');
    const hurry = new AbortController();
    const hurryTimer = this.#clock.setTimeout(() => hurry.abort(), timeoutMs * 0.8);
    const deadline = new AbortController();
    const deadlineTimer = this.#clock.setTimeout(() => deadline.abort(), timeoutMs);
    let clean = true;
    for (const phase of shutdownPhases) {
      const ended = await this.#runPhase(phase, hurry.signal, deadline.signal);
      clean &&= ended;
    }
    this.#clock.clearTimeout(hurryTimer);
    this.#clock.clearTimeout(deadlineTimer);
    logger.info({ reason, clean, durationMs: this.#clock.now() - this.#startedAt }, 'stopped');
    return clean;
  }

  async #runPhase(phase: ShutdownPhase, hurry: AbortSignal, deadline: AbortSignal): Promise<boolean> {
    const steps = this.#steps.get(phase) ?? [];
    this.#steps.delete(phase);
    const unfinished = new Set(steps.map(({ name }) => name));
    if (deadline.aborted && unfinished.size > 0) {
      this.options.logger.error({ phase, unfinished: [...unfinished] }, 'shutdown timed out before these steps began');
      return false;
    }
    const closing = Promise.all(
      steps.map(async (step) => {
        const ended = await this.#closeStep(step, hurry, phase);
        unfinished.delete(step.name);
        return ended;
      }),
    );
    const results = await Promise.race([closing, resolveOnAbort(deadline)]);
    if (results === undefined) {
      this.options.logger.error({ phase, unfinished: [...unfinished] }, 'shutdown timed out during these steps');
      return false;
    }
    return results.every(Boolean);
  }

  async #closeStep(step: ShutdownStep, hurry: AbortSignal, phase?: ShutdownPhase): Promise<boolean> {
    const begunAt = this.#clock.now();
    try {
      await step.close(hurry);
      const durationMs = this.#clock.now() - begunAt;
      this.options.logger.info({ phase, step: step.name, durationMs }, 'shutdown step completed');
      return true;
    } catch (error) {
      this.options.logger.error({ phase, step: step.name, err: error }, 'shutdown step failed');
      return false;
    }
  }
}

async function resolveOnAbort(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  // Gives precedence to a step that ended in the same event-loop turn.
  await delay(0);
}
