import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '@switchboard/testing';
import type { TestInventory } from './test-service.js';

const repository = join(import.meta.dirname, '../../../..');

/** A process of the inventory service that is started as in production. Tests can kill the process. */
export class InventoryProcess {
  /** Last log lines of the process, which the message of a failed test contains. */
  readonly log: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #url = '';

  private constructor(
    private readonly test: TestInventory,
    env: Record<string, string>,
  ) {
    const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX } = test.inventory.config;
    this.#child = spawn(process.execPath, [join(repository, 'apps/inventory/dist/bundle.js')], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        PORT: '0',
        DATABASE_URL,
        REDIS_URL,
        REDIS_KEY_PREFIX,
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'exit');
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: output! }).on('line', (line) => {
        this.log.push(line);
        if (line.includes('"listening"')) this.#url = String(JSON.parse(line).url);
      });
    }
  }

  /**
   * Starts a process of the inventory service that uses the database and Redis of `test`. Waits until the process
   * accepts connections.
   */
  static async start(test: TestInventory, env: Record<string, string>): Promise<InventoryProcess> {
    const started = new InventoryProcess(test, env);
    await waitFor(() => started.#url !== '' || !started.running, { timeoutMs: 45_000, what: 'a process that listens' });
    if (!started.running) throw new Error(`The process ended:\n${started.log.join('\n')}`);
    return started;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a request to the process with the superuser's API token. Returns the response. */
  async call<T>(method: string, path: string, json?: object): Promise<{ status: number; body: T }> {
    const { status, text } = await this.send(method, path, { json });
    return { status, body: (text === '' ? null : JSON.parse(text)) as T };
  }

  /** Sends a request to the process with an API token, by default the superuser's. Returns the text of the response. */
  async send(
    method: string,
    path: string,
    { json, token = this.test.adminToken }: { readonly json?: object | undefined; readonly token?: string } = {},
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Returns the metrics of the process, which must have been started with `METRICS_PORT: '0'`. */
  async readMetrics(): Promise<string> {
    const line = this.log.find((logged) => logged.includes('"serving /metrics"'));
    const { port } = JSON.parse(line ?? '{}') as { port?: number };
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Returns a promise that resolves when the process has ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }
}
