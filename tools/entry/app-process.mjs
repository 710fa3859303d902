// @ts-check
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { getAppHost } from './app-definitions.mjs';
import { formatLogLine } from './format-log-line.mjs';
import { joinDataPath, createFolderForAllUsers, repositoryRoot } from './data-folder-paths.mjs';
import { ExplainedCommandError, printLineAboveProgress } from './progress-step.mjs';

const retainedLogLineCount = 20;
const appReadyTimeoutMs = 120_000;
const appWaitReportIntervalMs = 5_000;
const readinessCheckIntervalMs = 25;
const exitWithParentModuleUrl = new URL('./exit-with-parent.mjs', import.meta.url).href;

/** Opens a new log file of an app. Retains the previous log file. */
function openNewAppLogFile(/** @type {string} */ name) {
  createFolderForAllUsers(joinDataPath('logs'));
  const file = joinDataPath('logs', `${name}.log`);
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return createWriteStream(file, { mode: 0o600 });
}

/** A running process of an app (chat or inventory), with the last lines of its log. */
export class AppProcess {
  /** @type {string[]} */
  #tail = [];
  #ended = false;

  /**
   * @param {import('./app-definitions.mjs').App} app
   * @param {NodeJS.ProcessEnv} env
   * @param {{ program: 'bundle.js' | 'main.js', print: (line: string) => void }} options `print` gets lines for the terminal
   */
  constructor(app, env, { program, print }) {
    this.app = app;
    this.env = env;
    const log = openNewAppLogFile(app.name);
    this.child = spawn(process.execPath, ['--import', exitWithParentModuleUrl, join(app.folder, program)], {
      cwd: repositoryRoot,
      env,
      // A separate session: Ctrl-C signals only the entry script, which stops all processes in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin.on('error', () => undefined);
    for (const output of [this.child.stdout, this.child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        log.write(`${line}\n`);
        const human = formatLogLine(app.name, line);
        this.#tail.push(human);
        if (this.#tail.length > retainedLogLineCount) this.#tail.shift();
        print(human);
      });
    }
    /** @type {Promise<string>} how it ended */
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.#ended = true;
        resolve(error.message);
      });
      this.child.once('close', (code, signal) => {
        this.#ended = true;
        log.end();
        resolve(signal ?? `exit code ${code}`);
      });
    });
  }

  get isRunning() {
    return !this.#ended;
  }

  /** Returns the last lines of the process's log. */
  getLastLogLines() {
    return this.#tail.join('\n');
  }

  get baseUrl() {
    const host = getAppHost(this.env);
    return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${this.env.PORT}`;
  }

  /**
   * Waits until `/health/ready` of the app responds with status 200.
   *
   * @param {AbortSignal} [signal] signal that ends the wait
   */
  async waitUntilAppIsReady(signal) {
    const deadline = Date.now() + appReadyTimeoutMs;
    let last = 'no response';
    let reportAt = Date.now() + appWaitReportIntervalMs;
    while (this.isRunning && Date.now() < deadline) {
      signal?.throwIfAborted();
      try {
        const response = await fetch(`${this.baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) });
        if (response.status === 200) return;
        last = `${response.status} ${await response.text()}`;
      } catch {
        // The connection is refused as long as the service does not listen.
      }
      if (Date.now() > reportAt) {
        printLineAboveProgress(`${this.app.name} is not ready yet: ${last}`);
        reportAt += appWaitReportIntervalMs;
      }
      await delay(readinessCheckIntervalMs);
    }
    if (!this.isRunning) {
      throw new ExplainedCommandError(
        `${this.app.name} ended (${await this.exited}) before it was ready. Last lines of its log:\n${this.getLastLogLines()}`,
      );
    }
    throw new ExplainedCommandError(
      `${this.app.name} is not ready after ${appReadyTimeoutMs / 1000} s (${last}). Last lines of its log:\n${this.getLastLogLines()}`,
    );
  }

  /**
   * Stops the process of the app gracefully. Kills the process if it still runs after `patienceMs` milliseconds.
   *
   * @param {number} [patienceMs]
   */
  async stopGracefully(patienceMs = 20_000) {
    if (this.#ended) return;
    this.child.kill('SIGTERM');
    const waited = new AbortController();
    const waiting = delay(patienceMs, 'late', { signal: waited.signal }).catch(() => 'ended');
    if ((await Promise.race([this.exited, waiting])) === 'late') {
      console.log(`${this.app.name} did not stop within ${patienceMs / 1000} s and is killed.`);
      this.child.kill('SIGKILL');
    }
    waited.abort();
    await this.exited;
  }

  /** Kills the process of the app. */
  killProcess() {
    if (!this.#ended) this.child.kill('SIGKILL');
  }
}
