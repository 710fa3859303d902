import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** Response of the readiness check `/health/ready` of a test service. */
export interface Readiness {
  readonly status: number;
  readonly body: { readonly status: string; readonly checks: Record<string, { ok: boolean; detail?: string }> };
}

/**
 * A service with a supervisor, which a test has started as a separate process. Also collects the log lines of the
 * process.
 */
export class SupervisedService {
  readonly lines: Record<string, unknown>[] = [];
  /** Promise that resolves with the exit code of the supervisor, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly #child: ChildProcess;

  /** Starts a program with `PORT` and `METRICS_PORT` set to 0, so that it selects free ports. */
  constructor(program: string, env: Record<string, string>) {
    this.#child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'test', PORT: '0', METRICS_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve(signal ?? code)));
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: output! }).on('line', (line) => this.lines.push(parseLine(line)));
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** URL of the service under the supervisor. */
  get url(): string {
    return String(this.#line('listening')?.['url']);
  }

  /** URL of the supervisor's metrics and health checks. */
  get supervisorUrl(): string {
    return `http://127.0.0.1:${String(this.#line('serving /metrics')?.['port'])}`;
  }

  /** Returns the log lines of the service with the given message. */
  find(msg: string): Record<string, unknown>[] {
    return this.lines.filter((line) => line['msg'] === msg);
  }

  #line(msg: string): Record<string, unknown> | undefined {
    return this.find(msg)[0];
  }

  /** Waits until the service has logged a message the given number of times. Returns the log line. */
  async logs(msg: string, times = 1): Promise<Record<string, unknown>> {
    await this.waitFor(msg, () => this.find(msg).length >= times);
    return this.find(msg)[times - 1]!;
  }

  /** Waits until a condition is met, at most 45 s. The error after that time contains the log of the service. */
  async waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 45_000;
    while (!(await condition())) {
      const log = this.lines.map((line) => JSON.stringify(line)).join('\n');
      if (performance.now() > deadline) throw new Error(`Waited 45 s for: ${what}\n${log}`);
      await delay(20);
    }
  }

  /** Waits until all processes of the service are ready. */
  async isReady(): Promise<this> {
    await this.logs('serving /metrics');
    await this.waitFor('ready processes', async () => (await this.readiness()).body.status === 'ok');
    return this;
  }

  async readiness(): Promise<Readiness> {
    const response = await fetch(`${this.supervisorUrl}/health/ready`);
    return { status: response.status, body: (await response.json()) as Readiness['body'] };
  }

  /** Returns the ids of the service's processes that are ready. */
  async pids(): Promise<number[]> {
    const { checks } = (await this.readiness()).body;
    return Object.entries(checks).flatMap(([name, { ok }]) => (ok ? Number(name.replace('process ', '')) : []));
  }

  /** Returns the values of a metric by the labels of the values. */
  async metric(name: string): Promise<Record<string, number>> {
    const text = await (await fetch(`${this.supervisorUrl}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills all processes of the service. Used after a failed test. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { msg: line };
  }
}

/** Test clients that send one request after another until the test stops them. Each client reuses one connection. */
export class RequestLoad {
  readonly failures: string[] = [];
  count = 0;
  #isStopped = false;
  readonly #clients: Promise<void>[];

  constructor(
    private readonly url: string,
    clients = 4,
  ) {
    this.#clients = Array.from({ length: clients }, (_, number) => this.#run(number));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(number: number): Promise<void> {
    // Every other client opens a connection for each request.
    const headers: Record<string, string> = number % 2 === 0 ? {} : { connection: 'close' };
    while (!this.#isStopped) {
      try {
        const response = await fetch(this.url, { headers, signal: AbortSignal.timeout(10_000) });
        await response.text();
        if (response.status >= 500) this.failures.push(`status ${response.status}`);
      } catch (error) {
        this.failures.push(error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error));
      }
      this.count += 1;
      await delay(40);
    }
  }
}
