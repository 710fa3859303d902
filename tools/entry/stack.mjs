// @ts-check
import { appEnvironment } from './app-environment.mjs';
import { AppProcess } from './app-process.mjs';
import { startInfrastructure } from './infrastructure.mjs';
import { EntryError, say, step } from './step.mjs';

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function signalIfRunning(pid, signal) {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Everything that one `npm start` runs, started and ended in order. */
export class Stack {
  /** @type {import('./infrastructure.mjs').Infrastructure | null} */
  infrastructure = null;
  /** @type {AppProcess[]} */
  processes = [];
  /** @type {Promise<void> | null} */
  #stopping = null;
  #starting = new AbortController();
  /** @type {Promise<import('./infrastructure.mjs').Infrastructure> | null} */
  #infrastructureStarting = null;

  /**
   * @param {import('./apps.mjs').App[]} apps
   * @param {NodeJS.ProcessEnv} env
   * @param {{ print?: (line: string) => void, edited?: boolean }} [options] edited: while it runs. Services run from
   *   their modules, which an edit compiles one by one, and one that ends is told of and no reason to stop, for the next
   *   edit may mend it
   */
  constructor(apps, env, options = {}) {
    this.apps = apps;
    this.env = env;
    this.print = options.print ?? say;
    this.edited = options.edited ?? false;
    /** @type {(reason: EntryError) => void} */
    this.died = () => undefined;
    /** @type {Promise<EntryError>} resolves when something ends that nobody stopped */
    this.death = new Promise((resolve) => (this.died = resolve));
  }

  /** Starts databases, then all services side by side, and waits until each is ready. */
  async start() {
    this.#infrastructureStarting = startInfrastructure(this.apps, this.env, (service, tail) =>
      this.died(new EntryError(`${service} ended by itself. The end of its log:\n${tail}`)),
    );
    this.infrastructure = await this.#infrastructureStarting;
    this.#starting.signal.throwIfAborted();
    await this.startApps();
  }

  /** Whether the end has begun. */
  get stopped() {
    return this.#stopping !== null;
  }

  /** Starts services, all when none are named, and waits until each is ready. */
  async startApps(apps = this.apps) {
    const { infrastructure } = this;
    if (infrastructure === null) throw new Error('The databases are started first.');
    /** @type {'main.js' | 'bundle.js'} */
    const program = this.edited ? 'main.js' : 'bundle.js';
    const started = apps.map(
      (app) => new AppProcess(app, appEnvironment(app, infrastructure, this.env), { program, print: this.print }),
    );
    this.processes = [...this.processes, ...started];
    for (const running of started) this.#watch(running);
    const names = apps.map((app) => app.name).join(' and ');
    await step(`Starting ${names}`, () => Promise.all(started.map((one) => one.ready(this.#starting.signal))));
  }

  /** @param {AppProcess} running */
  #watch(running) {
    void running.exited.then((how) => {
      // Services that a restart has replaced end because they were told to.
      if (this.#stopping !== null || !this.processes.includes(running)) return;
      const message = `${running.app.name} ended by itself (${how}). Its last lines:\n${running.tail()}`;
      if (this.edited) console.error(message);
      else this.died(new EntryError(message));
    });
  }

  /**
   * @param {import('./apps.mjs').App[]} apps
   * @param {number} [patienceMs]
   */
  async stopApps(apps, patienceMs) {
    const ending = this.processes.filter((running) => apps.includes(running.app));
    this.processes = this.processes.filter((running) => !ending.includes(running));
    await Promise.all(ending.map((running) => running.stop(patienceMs)));
  }

  /** Ends the services, then Redis and PostgreSQL. Calling again waits for the same ending. */
  stop() {
    this.#starting.abort(new EntryError('Stopped while starting.'));
    this.#stopping ??= (async () => {
      await Promise.all(this.processes.map((running) => running.stop()));
      // Databases that are just starting are ended too: by us, for nobody else knows of them.
      const infrastructure = await this.#infrastructureStarting?.catch(() => null);
      await infrastructure?.stop();
    })();
    return this.#stopping;
  }

  /** Ends everything without waiting. The next start recovers what that leaves. */
  kill() {
    for (const running of this.processes) running.kill();
    const { postgres, redis } = this.infrastructure?.pids ?? {};
    // Immediate shutdown: PostgreSQL ends its children, and replays its log at the next start.
    signalIfRunning(postgres, 'SIGQUIT');
    signalIfRunning(redis, 'SIGKILL');
  }
}
