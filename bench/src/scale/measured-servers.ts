import { type ServerProcess, startServerProcess } from '../server-process.js';

const readinessCheckPath = '/health/ready';

/** Starts, restarts and stops the processes of the measured service. */
export class MeasuredServerProcesses {
  #running: ServerProcess[] = [];

  constructor(
    private readonly script: string,
    private readonly env: Record<string, string>,
  ) {}

  async startServers(count: number): Promise<void> {
    while (this.#running.length < count)
      this.#running.push(await startServerProcess(this.script, this.env, readinessCheckPath));
  }

  /** Starts an additional process of the service, which is not measured. */
  startUnmeasuredServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
    return startServerProcess(this.script, { ...this.env, ...settings }, readinessCheckPath);
  }

  get origins(): string[] {
    return this.#running.map(({ origin }) => origin);
  }

  get processIds(): number[] {
    return this.#running.map(({ pid }) => pid);
  }

  /**
   * Restarts processes that an operation has stopped, on the same ports. Returns true if at least one process was
   * restarted.
   */
  async restartEndedServers(): Promise<boolean> {
    const ended = this.#running.filter((server) => server.hasEnded());
    for (const server of ended) {
      const port = Number(new URL(server.origin).port);
      this.#running[this.#running.indexOf(server)] = await startServerProcess(
        this.script,
        this.env,
        readinessCheckPath,
        port,
      );
    }
    return ended.length > 0;
  }

  async stopServers(): Promise<void> {
    await Promise.all(this.#running.map((server) => server.stop()));
  }
}
