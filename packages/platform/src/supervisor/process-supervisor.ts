import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../clock.js';
import type { HealthCheckResult, HealthReport } from '../lifecycle/process-health.js';
import type { Logger } from '../logging/logger.js';
import { type ProcessEnd, SupervisedProcess } from './supervised-process.js';
import { RestartPolicy } from './restart-policy.js';

/**
 * Time in milliseconds after the first readiness of a new process. If the new process ends within this time, the
 * replacement has failed, and the former process continues.
 */
const NEW_PROCESS_OBSERVATION_MS = 3_000;

export interface SupervisorOptions {
  /** Number of processes that the supervisor runs. */
  readonly count: number;
  /** Starts a new process of the service and returns its object. */
  readonly fork: () => SupervisedProcess;
  /** Time limit in milliseconds for a new process that replaces another process to become ready. */
  readonly replacementTimeoutMs: number;
  /** Time in milliseconds after a stop request at which a process that still runs is killed. */
  readonly killAfterMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
  /** Callback that is called when a process has ended without a stop request. */
  readonly onDeath: () => void;
  /** Callback that is called when a process has ended, for any reason. */
  readonly onEnd: (ended: SupervisedProcess) => void;
  /** Callback that is called when processes have died too often. No process is restarted after that. */
  readonly onGivenUp: () => void;
}

/**
 * Starts, monitors and stops the processes of one service. A process that dies is restarted after a delay, unless
 * processes die too often. All processes can be replaced one after another.
 */
export class ProcessSupervisor {
  readonly #processes = new Set<SupervisedProcess>();
  readonly #policy: RestartPolicy;
  /**
   * New process that replaces another process when it is ready. If the new process ends, it is not restarted, because
   * the other process continues.
   */
  #successor: SupervisedProcess | undefined;
  #isStopping = false;
  #replacing: Promise<void> | undefined;
  #replacesAgain = false;

  constructor(private readonly options: SupervisorOptions) {
    this.#policy = new RestartPolicy(options.count);
  }

  /** Running processes, including those that are being stopped. */
  get processes(): readonly SupervisedProcess[] {
    return [...this.#processes];
  }

  /** Starts all processes of the service. */
  start(): void {
    while (this.#members.length < this.options.count) this.#startProcess();
  }

  /**
   * Replaces all processes of the service by new processes, one after another. If a new process dies or does not become
   * ready, all processes that are not replaced yet continue. A call during a running replacement starts another
   * replacement afterwards.
   */
  async replaceAll(): Promise<void> {
    if (this.#isStopping) return;
    this.#replacesAgain = this.#replacing !== undefined;
    this.#replacing ??= this.#replaceEach()
      .catch((err: unknown) => this.options.logger.error({ err }, 'processes could not be replaced'))
      .finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  /**
   * Stops all processes. Returns true if all processes ended in an orderly way, and false if a process was killed or
   * failed.
   */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    const ends = await Promise.all(this.processes.map((one) => this.#stopProcess(one, 'stop')));
    return ends.every(({ isOrderly }) => isOrderly);
  }

  /** Kills all processes of the service immediately. */
  kill(): void {
    this.#isStopping = true;
    for (const one of this.#processes) one.kill();
  }

  /**
   * Returns the readiness of the service: `ok` if all processes are ready, `degraded` if at least one process is ready,
   * and otherwise `unavailable`.
   */
  async runReadinessChecks(): Promise<HealthReport> {
    const results = await Promise.all(
      this.#members.map(async (one) => [`process ${one.pid}`, await checkProcessReadiness(one)] as const),
    );
    const readyCount = results.filter(([, { ok }]) => ok).length;
    const status = readyCount === 0 ? 'unavailable' : readyCount < this.options.count ? 'degraded' : 'ok';
    return { status: this.#isStopping ? 'stopping' : status, checks: Object.fromEntries(results) };
  }

  /**
   * Processes that are part of the service. Excludes processes that are being stopped, and a new process that is not
   * ready to replace another process yet.
   */
  get #members(): SupervisedProcess[] {
    return this.processes.filter((one) => !one.isLeaving && one !== this.#successor);
  }

  #startProcess(): SupervisedProcess {
    const started = this.options.fork();
    this.#processes.add(started);
    void started.ended.then((end) => this.#handleEnd(started, end));
    return started;
  }

  async #stopProcess(one: SupervisedProcess, how: 'stop' | 'replaced'): Promise<ProcessEnd> {
    const end = await one.stop(how, this.options.killAfterMs);
    const { reason, isOrderly } = end;
    if (!isOrderly) this.options.logger.warn({ stoppedPid: one.pid, reason }, 'a process did not stop in order');
    return end;
  }

  #handleEnd(ended: SupervisedProcess, { reason }: ProcessEnd): void {
    this.#processes.delete(ended);
    this.options.onEnd(ended);
    if (ended.isLeaving || this.#isStopping || ended === this.#successor) return;
    this.#handleDeath(ended.pid, reason, ended.hasBeenReady);
  }

  #handleDeath(deadPid: number, reason: string, hasBeenReady: boolean): void {
    const { logger } = this.options;
    this.options.onDeath();
    // Files that cannot be started must not stop processes that have loaded earlier ones.
    const isCounted = hasBeenReady || !this.#members.some((one) => one.hasBeenReady);
    const delayMs = this.#policy.recordDeath(systemClock.now(), { isCounted });
    if (delayMs === null) {
      // Further deaths while the others stop need no line of their own.
      this.#isStopping = true;
      logger.fatal({ deadPid, reason }, 'too many processes died within a minute: stopping');
      this.options.onGivenUp();
      return;
    }
    logger.error({ deadPid, reason, delayMs }, 'a process died and will be restarted');
    systemClock.setTimeout(() => this.#replaceDead(), delayMs);
  }

  #replaceDead(): void {
    // A successor may have replaced the dead process meanwhile, or is going to.
    const running = this.#members.length + (this.#successor === undefined ? 0 : 1);
    if (this.#isStopping || running >= this.options.count) return;
    try {
      this.#startProcess();
    } catch (error) {
      // The machine has no memory or no process left, which may be temporary.
      this.#handleDeath(0, error instanceof Error ? error.message : String(error), false);
    }
  }

  async #replaceEach(): Promise<void> {
    do {
      this.#replacesAgain = false;
      await this.#replaceMembers();
    } while (this.#replacesAgain && !this.#isStopping);
  }

  async #replaceMembers(): Promise<void> {
    const { logger, count } = this.options;
    const former = this.#members;
    const started: SupervisedProcess[] = [];
    logger.info({ processes: former.length }, 'replacing all processes');
    for (;;) {
      const next = former.find((one) => one.isRunning && !one.isLeaving);
      if (this.#isStopping) return;
      if (next === undefined) break;
      const successor = this.#startProcess();
      const failure = await this.#waitForSuccessor(successor, started);
      if (this.#isStopping) return;
      if (failure !== null) {
        logger.error({ reason: failure }, 'a new process failed: the processes not yet replaced continue');
        // A process that died meanwhile was not restarted, because the successor was to replace it.
        this.#replaceDead();
        return;
      }
      started.push(successor);
      // Otherwise the successor replaces a process that died meanwhile.
      if (this.#members.length > count) await this.#stopProcess(next, 'replaced');
    }
    logger.info({ processes: this.#members.length }, 'all processes are replaced');
  }

  /**
   * Waits until a new process has been ready for some seconds, and stops it otherwise.
   *
   * @param started new processes of the same replacement. The end of one is a failure too
   * @returns the reason of the failure, or null
   */
  async #waitForSuccessor(successor: SupervisedProcess, started: readonly SupervisedProcess[]): Promise<string | null> {
    const { replacementTimeoutMs } = this.options;
    this.#successor = successor;
    const waiting = new AbortController();
    const { signal } = waiting;
    const late = `not ready within ${replacementTimeoutMs} ms`;
    const ended = [...started, successor].map(async (one) => (await one.ended).reason);
    const failure =
      (await Promise.race([
        ...ended,
        successor.ready.then(() => null),
        delay(replacementTimeoutMs, late, { signal }).catch(() => late),
      ])) ?? (await Promise.race([...ended, delay(NEW_PROCESS_OBSERVATION_MS, null, { signal }).catch(() => null)]));
    waiting.abort();
    if (failure !== null && successor.isRunning) await this.#stopProcess(successor, 'stop');
    this.#successor = undefined;
    return failure;
  }
}

async function checkProcessReadiness(one: SupervisedProcess): Promise<HealthCheckResult> {
  if (!one.isListening) return { ok: false, detail: 'starting' };
  const report = await one.requestHealth();
  if (report === undefined) return { ok: false, detail: 'no response' };
  const failed = Object.entries(report.checks).filter(([, { ok }]) => !ok);
  const details = failed.map(([name, { detail = 'failed' }]) => `${name}: ${detail}`);
  const ok = report.status === 'ok' || report.status === 'degraded';
  return { ok, detail: [report.status, ...details].join(', ') };
}
