import { type ServerProcess, startServer } from '../server-process.js';

const readyPath = '/health/ready';

/** Starts, restarts and stops the processes of the measured service. */
export class MeasuredServers {
  #running: ServerProcess[] = [];

  constructor(
    private readonly script: string,
    private readonly env: Record<string, string>,
  ) {}

  async start(count: number): Promise<void> {
    while (this.#running.length < count) this.#running.push(await startServer(this.script, this.env, readyPath));
  }

  /** Starts an additional process of the service, which is not measured. */
  startUnmeasured(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
    return startServer(this.script, { ...this.env, ...settings }, readyPath);
  }

  get origins(): string[] {
    return this.#running.map(({ origin }) => origin);
  }

  get pids(): number[] {
    return this.#running.map(({ pid }) => pid);
  }

  /**
   * Restarts processes that an operation has stopped, on the same ports. Returns true if at least one process was
   * restarted.
   */
  async restartEnded(): Promise<boolean> {
    const ended = this.#running.filter((server) => server.hasEnded());
    for (const server of ended) {
      const port = Number(new URL(server.origin).port);
      this.#running[this.#running.indexOf(server)] = await startServer(this.script, this.env, readyPath, port);
    }
    return ended.length > 0;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((server) => server.stop()));
  }
}
