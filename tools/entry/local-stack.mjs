// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { createAppEnvironment } from './app-environment.mjs';
import { AppProcess } from './app-process.mjs';
import { startPostgresAndRedis } from './start-infrastructure.mjs';
import { ExplainedCommandError, printLineAboveProgress, runStepWithProgress } from './progress-step.mjs';
import { importSupervisorRestartPolicy } from './set-up-repository.mjs';

/**
 * Sends a signal to a process if the process still exists.
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function sendSignalIfRunning(pid, signal) {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}

/** All processes of one `npm start` (PostgreSQL, Redis, the apps), which the class starts and stops in order. */
export class LocalServiceStack {
  /** @type {import('./start-infrastructure.mjs').Infrastructure | null} */
  infrastructure = null;
  /** @type {AppProcess[]} */
  processes = [];
  /** @type {Promise<void> | null} */
  #stopping = null;
  #starting = new AbortController();
  /** @type {Map<import('./app-definitions.mjs').App, import('../../packages/platform/dist/supervisor/restart-policy.js').RestartPolicy>} of the services that have been ready once */
  #restarts = new Map();
  /** @type {Promise<import('./start-infrastructure.mjs').Infrastructure> | null} */
  #infrastructureStarting = null;

  /**
   * @param {import('./app-definitions.mjs').App[]} apps
   * @param {NodeJS.ProcessEnv} env
   * @param {{ print?: (line: string) => void, edited?: boolean }} [options] `edited`: true if the sources are edited
   *   meanwhile. Services then run from their separate modules, and one that exits is restarted by the next edit.
   *   Otherwise a service that exits after it was ready is restarted.
   */
  constructor(apps, env, options = {}) {
    this.apps = apps;
    this.env = env;
    this.print = options.print ?? printLineAboveProgress;
    this.edited = options.edited ?? false;
    /** @type {(reason: ExplainedCommandError) => void} */
    this.died = () => undefined;
    /** @type {Promise<ExplainedCommandError>} resolves when a part without which the others are useless exits by itself */
    this.death = new Promise((resolve) => (this.died = resolve));
  }

  /** Starts PostgreSQL and Redis, then all apps concurrently, and waits until every app is ready. */
  async startInfrastructureAndApps() {
    this.#infrastructureStarting = startPostgresAndRedis(this.apps, this.env, (service, tail) =>
      this.died(new ExplainedCommandError(`${service} ended unexpectedly. Last lines of its log:\n${tail}`)),
    );
    this.infrastructure = await this.#infrastructureStarting;
    this.#starting.signal.throwIfAborted();
    await this.startApps();
  }

  /** True after {@link stop} of the local stack was called. */
  get isStopped() {
    return this.#stopping !== null;
  }

  /** Starts the processes of the given apps (default: all apps), and waits until every app is ready. */
  async startApps(apps = this.apps) {
    const started = apps.map((app) => this.#startProcess(app));
    const names = apps.map((app) => app.name).join(' and ');
    await runStepWithProgress(`Starting ${names}`, () =>
      Promise.all(started.map((one) => one.waitUntilAppIsReady(this.#starting.signal))),
    );
    const { RestartPolicy } = await importSupervisorRestartPolicy();
    for (const app of apps) this.#restarts.set(app, new RestartPolicy());
  }

  /**
   * Starts the process of an app.
   *
   * @param {import('./app-definitions.mjs').App} app
   */
  #startProcess(app) {
    const { infrastructure } = this;
    if (infrastructure === null) throw new Error('The databases are started first.');
    /** @type {'main.js' | 'bundle.js'} */
    const program = this.edited ? 'main.js' : 'bundle.js';
    const running = new AppProcess(app, createAppEnvironment(app, infrastructure, this.env), {
      program,
      print: this.print,
    });
    this.processes = [...this.processes, running];
    this.#watchExit(running);
    return running;
  }

  /**
   * Watches the process of an app. If the process ends unexpectedly, restarts the app or reports its exit.
   *
   * @param {AppProcess} running
   */
  #watchExit(running) {
    void running.exited.then((how) => {
      // A service that a restart has replaced exits as intended.
      if (this.#stopping !== null || !this.processes.includes(running)) return;
      const message = `${running.app.name} ended unexpectedly (${how}). Last lines of its log:\n${running.getLastLogLines()}`;
      if (this.edited) console.error(message);
      else this.#restartAfterExit(running, message);
    });
  }

  /**
   * Restarts an app that has exited, after a delay. An app that was never ready, or exits too often, is not restarted.
   * If no app is left, the whole stack stops.
   *
   * @param {AppProcess} dead
   * @param {string} message
   */
  #restartAfterExit(dead, message) {
    const { app } = dead;
    this.processes = this.processes.filter((running) => running !== dead);
    const restarts = this.#restarts.get(app);
    const delayMs = restarts?.recordDeath(Date.now()) ?? null;
    if (restarts === undefined) {
      this.died(new ExplainedCommandError(message));
    } else if (delayMs === null) {
      this.#restarts.delete(app);
      const givenUp = `${message}\n${app.name} ended five times within a minute and is not restarted.`;
      if (this.#restarts.size === 0) this.died(new ExplainedCommandError(givenUp));
      else console.error(givenUp);
    } else {
      console.error(`${message}\nRestarting ${app.name} in ${delayMs / 1000} s.`);
      void this.#startAfterDelay(app, delayMs);
    }
  }

  /**
   * Starts the process of an app after a delay, and waits until the app is ready.
   *
   * @param {import('./app-definitions.mjs').App} app
   * @param {number} delayMs
   */
  async #startAfterDelay(app, delayMs) {
    const { signal } = this.#starting;
    try {
      await delay(delayMs, undefined, { signal });
      const running = this.#startProcess(app);
      await running.waitUntilAppIsReady(signal);
      printLineAboveProgress(`${app.name} is ready again.`);
    } catch (error) {
      // Stopping cancels the wait. Exits of other processes are reported elsewhere.
      if (!signal.aborted && this.processes.some((running) => running.app === app)) console.error(error);
    }
  }

  /**
   * Stops the processes of the given apps.
   *
   * @param {import('./app-definitions.mjs').App[]} apps
   * @param {number} [patienceMs]
   */
  async stopApps(apps, patienceMs) {
    const ending = this.processes.filter((running) => apps.includes(running.app));
    this.processes = this.processes.filter((running) => !ending.includes(running));
    await Promise.all(ending.map((running) => running.stopGracefully(patienceMs)));
  }

  /** Stops the apps, then Redis and PostgreSQL. Further calls wait for the end of the first stop. */
  stopAllProcesses() {
    this.#starting.abort(new ExplainedCommandError('Stopped while starting.'));
    this.#stopping ??= (async () => {
      await Promise.all(this.processes.map((running) => running.stopGracefully()));
      // Databases that are still starting are stopped too, because nothing else would stop them.
      const infrastructure = await this.#infrastructureStarting?.catch(() => null);
      await infrastructure?.stop();
    })();
    return this.#stopping;
  }

  /**
   * Kills all processes of the local stack without waiting. PostgreSQL and Redis recover their data at the next start.
   */
  killAllProcesses() {
    for (const running of this.processes) running.killProcess();
    const { postgres, redis } = this.infrastructure?.pids ?? {};
    // Immediate shutdown: PostgreSQL ends its children, and replays its log at the next start.
    sendSignalIfRunning(postgres, 'SIGQUIT');
    sendSignalIfRunning(redis, 'SIGKILL');
  }
}
