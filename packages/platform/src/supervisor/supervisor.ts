import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../clock.js';
import type { CheckResult, HealthReport } from '../lifecycle/health.js';
import type { Logger } from '../logging/logger.js';
import { type ProcessEnd, SupervisedProcess } from './supervised-process.js';
import { RestartPolicy } from './restart-policy.js';

/** Options of {@link Supervisor}. */
export interface SupervisorOptions {
  /** Number of processes. */
  readonly count: number;
  /** Starts a process. */
  readonly fork: () => SupervisedProcess;
  /** Time limit for a process that replaces another one to become ready, in milliseconds. */
  readonly replacementTimeoutMs: number;
  /** Time after which a process that was asked to stop is killed, in milliseconds. */
  readonly killAfterMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
  /** Called when a process has ended that was not asked to. */
  readonly onDeath: () => void;
  /** Called when a process has ended, for any reason. */
  readonly onEnd: (ended: SupervisedProcess) => void;
  /** Called when processes have died too often, so that none is started again. */
  readonly onGivenUp: () => void;
}

/**
 * The processes of one service. A process that dies is started again after a delay, unless processes die too often. All
 * of them can be replaced one after another, and stopped.
 */
export class Supervisor {
  readonly #processes = new Set<SupervisedProcess>();
  readonly #policy = new RestartPolicy();
  /** New process that replaces another one when it is ready. Its end is no death: the other one continues. */
  #successor: SupervisedProcess | undefined;
  #isStopping = false;
  #replacing: Promise<void> | undefined;
  #replacesAgain = false;

  constructor(private readonly options: SupervisorOptions) {}

  /** Running processes, including those that are being stopped. */
  get processes(): readonly SupervisedProcess[] {
    return [...this.#processes];
  }

  /** Starts all processes. */
  start(): void {
    while (this.#members.length < this.options.count) this.#startProcess();
  }

  /**
   * Replaces all processes by new ones, one after another. If a new process does not become ready, it ends, and all
   * processes that are not replaced yet continue. A call while processes are being replaced replaces all of them again
   * afterwards.
   */
  async replaceAll(): Promise<void> {
    this.#replacesAgain = this.#replacing !== undefined;
    this.#replacing ??= this.#replaceEach()
      .catch((err: unknown) => this.options.logger.error({ err }, 'processes could not be replaced'))
      .finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  /** Stops all processes. Returns true if all of them ended in order, and false if one was killed or failed. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    const ends = await Promise.all(this.processes.map((one) => one.stop('stop', this.options.killAfterMs)));
    return ends.every(({ isOrderly }) => isOrderly);
  }

  /** Kills all processes. */
  kill(): void {
    this.#isStopping = true;
    for (const one of this.#processes) one.kill();
  }

  /**
   * Returns the readiness of the service: `ok` if all processes are ready, `degraded` if at least one is, and otherwise
   * `unavailable`.
   */
  async report(): Promise<HealthReport> {
    const results = await Promise.all(
      this.#members.map(async (one) => [`process ${one.pid}`, await checkProcess(one)] as const),
    );
    const readyCount = results.filter(([, { ok }]) => ok).length;
    const status = readyCount === 0 ? 'unavailable' : readyCount < this.options.count ? 'degraded' : 'ok';
    return { status: this.#isStopping ? 'stopping' : status, checks: Object.fromEntries(results) };
  }

  /** Processes that count: without those that are being stopped, and without a successor that is not ready. */
  get #members(): SupervisedProcess[] {
    return this.processes.filter((one) => !one.isLeaving && one !== this.#successor);
  }

  #startProcess(): SupervisedProcess {
    const started = this.options.fork();
    this.#processes.add(started);
    void started.ended.then((end) => this.#handleEnd(started, end));
    return started;
  }

  #handleEnd(ended: SupervisedProcess, { reason }: ProcessEnd): void {
    this.#processes.delete(ended);
    this.options.onEnd(ended);
    if (ended.isLeaving || this.#isStopping || ended === this.#successor) return;
    this.#handleDeath(ended.pid, reason);
  }

  #handleDeath(deadPid: number, reason: string): void {
    const { logger } = this.options;
    this.options.onDeath();
    const delayMs = this.#policy.recordDeath(systemClock.now());
    if (delayMs === null) {
      // Further deaths while the others stop need no line of their own.
      this.#isStopping = true;
      logger.fatal({ deadPid, reason }, 'five processes died within a minute: stopping');
      this.options.onGivenUp();
      return;
    }
    logger.error({ deadPid, reason, delayMs }, 'a process died and is started again');
    systemClock.setTimeout(() => this.#replaceDead(), delayMs);
  }

  #replaceDead(): void {
    // A successor may have taken the place meanwhile.
    if (this.#isStopping || this.#members.length >= this.options.count) return;
    try {
      this.#startProcess();
    } catch (error) {
      // The machine has no memory or no process left, which may be temporary.
      this.#handleDeath(0, error instanceof Error ? error.message : String(error));
    }
  }

  async #replaceEach(): Promise<void> {
    do {
      this.#replacesAgain = false;
      await this.#replaceMembers();
    } while (this.#replacesAgain && !this.#isStopping);
  }

  async #replaceMembers(): Promise<void> {
    const { logger, killAfterMs } = this.options;
    const members = this.#members;
    logger.info({ processes: members.length }, 'replacing all processes');
    for (const former of members) {
      if (this.#isStopping) return;
      if (!former.isRunning) continue;
      const successor = this.#startProcess();
      const failure = await this.#waitForSuccessor(successor);
      if (this.#isStopping) return;
      if (failure !== null) {
        logger.error({ reason: failure }, 'a new process is not ready: the processes not yet replaced continue');
        return;
      }
      // The former process may have died meanwhile, and been started again.
      if (former.isRunning) await former.stop('replaced', killAfterMs);
      else if (this.#members.length > this.options.count) await successor.stop('replaced', killAfterMs);
    }
    logger.info({ processes: this.#members.length }, 'all processes are replaced');
  }

  /** Waits until a new process is ready, and stops it otherwise. Returns the reason why it is not ready, or null. */
  async #waitForSuccessor(successor: SupervisedProcess): Promise<string | null> {
    const { replacementTimeoutMs, killAfterMs } = this.options;
    this.#successor = successor;
    const waiting = new AbortController();
    const { signal } = waiting;
    const late = `not ready within ${replacementTimeoutMs} ms`;
    const failure = await Promise.race([
      successor.ready.then(() => null),
      successor.ended.then(({ reason }) => reason),
      delay(replacementTimeoutMs, late, { signal }).catch(() => late),
    ]);
    waiting.abort();
    if (failure !== null) await successor.stop('stop', killAfterMs);
    this.#successor = undefined;
    return failure;
  }
}

/** Returns the readiness of a process as one check. */
async function checkProcess(one: SupervisedProcess): Promise<CheckResult> {
  if (!one.isListening) return { ok: false, detail: 'starting' };
  const report = await one.health();
  if (report === undefined) return { ok: false, detail: 'no response' };
  const failed = Object.entries(report.checks).filter(([, { ok }]) => !ok);
  const details = failed.map(([name, { detail = 'failed' }]) => `${name}: ${detail}`);
  const ok = report.status === 'ok' || report.status === 'degraded';
  return { ok, detail: [report.status, ...details].join(', ') };
}
