import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isProcessRunning } from '../node-only/process-identity.mjs';
import type { SystemAccount } from './database-account.js';
import { LocalServicesError } from './local-services-errors.js';

/** One step of stopping a process: a signal, and the time to wait for the end of the process. */
export interface ProcessStopStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/**
 * Options of {@link SupervisedProcess.start}. The output of the process is written to `logFile`. An existing log file
 * is first renamed with the suffix `.1`.
 */
export interface SupervisedProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly account: SystemAccount | null;
  readonly logFile: string;
  /**
   * Steps for stopping the process, from the gentlest to the most forceful. If the process survives all steps, an error
   * is thrown.
   */
  readonly stopSteps: readonly ProcessStopStep[];
}

const maxLogTailLines = 15;
const processPollIntervalMs = 10;

/** Returns the last lines of a log file, for error messages. */
function readLogTail(logFile: string): string {
  if (!existsSync(logFile)) return '';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-maxLogTailLines).join('\n');
}

/**
 * Ends a process, not necessarily a child, by sending each signal in turn until it has ended.
 * @throws LocalServicesError when it belongs to another user or survives every signal
 */
export async function endProcess(name: string, pid: number, ending: readonly ProcessStopStep[]): Promise<void> {
  for (const { signal, waitMs } of ending) {
    if (!isProcessRunning(pid)) return;
    try {
      process.kill(pid, signal);
    } catch (cause) {
      if (!isProcessRunning(pid)) return;
      throw new LocalServicesError(
        `${name} (process ${pid}) belongs to another user. Stop it first: sudo kill ${pid}`,
        {
          cause,
        },
      );
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!isProcessRunning(pid)) return;
      await delay(processPollIntervalMs);
    }
  }
  if (isProcessRunning(pid))
    throw new LocalServicesError(`${name} (process ${pid}) does not stop. Kill it: kill -9 ${pid}`);
}

/** A server process that this process has started. */
export class SupervisedProcess {
  readonly pid: number;
  /** Promise that resolves when the started server process has ended. */
  readonly exited: Promise<void>;
  private hasEnded = false;

  private constructor(
    private readonly options: SupervisedProcessOptions,
    private readonly child: ChildProcess,
    pid: number,
  ) {
    this.pid = pid;
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        this.hasEnded = true;
        resolve();
      });
    });
  }

  /**
   * Starts a server process.
   *
   * @throws LocalServicesError when the program cannot be run at all
   */
  static async start(options: SupervisedProcessOptions): Promise<SupervisedProcess> {
    if (existsSync(options.logFile)) renameSync(options.logFile, `${options.logFile}.1`);
    const output = openSync(options.logFile, 'a', 0o600);
    try {
      const child = spawn(options.command, options.args, {
        ...options.account,
        // A folder that every account can enter; the current one may not be accessible to the server's account.
        cwd: '/',
        // The server gets its own session: Ctrl-C at the terminal then reaches only this process, which stops servers
        // in order.
        detached: true,
        // Output goes to a file and not to a pipe, so that the server can still write if this process is killed.
        stdio: ['ignore', output, output],
        env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      });
      return await new Promise((resolve, reject) => {
        child.once('error', (cause) => {
          reject(
            new LocalServicesError(`${options.name} cannot be started (${options.command}): ${cause.message}`, {
              cause,
            }),
          );
        });
        child.once('spawn', () => resolve(new SupervisedProcess(options, child, child.pid ?? 0)));
      });
    } finally {
      closeSync(output);
    }
  }

  get isRunning(): boolean {
    return !this.hasEnded;
  }

  /** Returns the last lines of the server process's output. */
  logTail(): string {
    return readLogTail(this.options.logFile);
  }

  /**
   * Stops the server process, first gracefully, then forcibly. Resolves when the process has ended; further calls have
   * no effect.
   */
  async stop(): Promise<void> {
    for (const { signal, waitMs } of this.options.stopSteps) {
      if (this.hasEnded) return;
      this.child.kill(signal);
      const waited = new AbortController();
      await Promise.race([this.exited, delay(waitMs, undefined, { signal: waited.signal }).catch(() => undefined)]);
      waited.abort();
    }
  }
}
