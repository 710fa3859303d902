import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pause } from '../abortable-pause.js';

const root = resolve(import.meta.dirname, '../../..');
const exitWithParentScript = new URL('../../../tools/entry/exit-with-parent.mjs', import.meta.url).href;
const defaultReadyTimeoutMs = 300_000;

/** Options of a service process that apply to every start of the process. */
export interface ServiceOptions {
  readonly app: 'chat' | 'inventory';
  readonly role: 'api' | 'worker' | 'all';
  readonly name: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Folder of the assembled release that the process runs. Default: the build in this workspace. */
  readonly releaseFolder?: string | undefined;
  /** Maximum time from the start until the process is ready, in milliseconds. Default 300,000. */
  readonly readyTimeoutMs?: number | undefined;
}

/** Exit code and signal with which a service process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of a compiled service that runs with production settings and that a test can restart. */
export class ServiceProcess {
  /** Promise that resolves when the most recently started process has exited. */
  exited: Promise<Ending> = Promise.resolve({ code: 0, signal: null });
  #child: ChildProcess | undefined;
  #running = false;

  constructor(readonly options: ServiceOptions) {}

  get running(): boolean {
    return this.#running;
  }

  /**
   * Starts the service process. `env` contains environment variables for this start only, for example the fault point
   * at which the process dies.
   */
  start(env: Readonly<Record<string, string>> = {}): void {
    const { app, role, port, logFile, releaseFolder } = this.options;
    mkdirSync(dirname(logFile), { recursive: true });
    const log = openSync(logFile, 'a');
    const program =
      releaseFolder === undefined ? join(root, 'apps', app, 'dist/bundle.js') : join(releaseFolder, 'main.mjs');
    const child = spawn(process.execPath, ['--import', exitWithParentScript, program], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...this.options.env, ROLE: role, PORT: String(port), ...env },
      // The service stops when its standard input is closed, which happens when this process ends. Its output is
      // written to a file, so that a kill does not lose it.
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined);
    this.#child = child;
    this.#running = true;
    this.exited = new Promise((ended) => {
      child.once('exit', (code, signal) => {
        this.#running = false;
        ended({ code, signal });
      });
    });
  }

  /** Waits until the service process is ready or has exited. */
  async waitForStartOrEnd(): Promise<'ready' | 'ended'> {
    const { readyTimeoutMs = defaultReadyTimeoutMs } = this.options;
    const deadline = Date.now() + readyTimeoutMs;
    while (Date.now() < deadline) {
      if (!this.#running) return 'ended';
      const response = await fetch(`http://127.0.0.1:${this.options.port}/health/ready`).catch(() => null);
      if (response?.status === 200) return 'ready';
      await pause(25);
    }
    throw new Error(`${this.options.name} is not ready within ${readyTimeoutMs} ms:\n${this.tail()}`);
  }

  /**
   * Waits until the service process is ready.
   *
   * @throws Error with the end of the log if the process ends instead
   */
  async ready(): Promise<void> {
    if ((await this.waitForStartOrEnd()) === 'ended') throw new Error(`${this.options.name} ended:\n${this.tail()}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Sends SIGKILL to the service process and waits until the process has ended. */
  async kill(): Promise<Ending> {
    this.signal('SIGKILL');
    return this.exited;
  }

  /** Sends SIGTERM to the service process and waits until the process has ended. */
  async stop(): Promise<Ending> {
    this.signal('SIGTERM');
    return this.exited;
  }

  /** Returns the log text of all starts of the service process. */
  log(): string {
    return readFileSync(this.options.logFile, 'utf8');
  }

  /** Returns the last lines of the service process's log. */
  tail(): string {
    return this.log().trimEnd().split('\n').slice(-15).join('\n');
  }
}
