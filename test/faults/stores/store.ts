import { resolve } from 'node:path';
import {
  createServiceFolder,
  type LocalServices,
  resetLocalServices,
  startLocalServices,
} from '@switchboard/local-services';
import { waitForExitOfAll, signalAll, treeOf } from './process-tree.js';

/**
 * A PostgreSQL or Redis server of a fault test that can be killed, paused and restarted. The server writes data as
 * durably as in production.
 */
export abstract class Store {
  /** Handle of the running server; undefined while the server is down. */
  protected services: LocalServices | undefined;
  #address = '';

  constructor(private readonly dataFolder: string) {}

  /** Starts the PostgreSQL or Redis server with an empty data folder. */
  startEmpty(): Promise<void> {
    return this.startWithFiles(() => Promise.resolve());
  }

  /**
   * Starts the server with the data files that a function writes.
   *
   * @param write function that receives the folder of the server's files
   */
  async startWithFiles(write: (serviceFolder: string) => Promise<void>): Promise<void> {
    await resetLocalServices({ dataFolder: this.dataFolder, log: () => undefined });
    await write(createServiceFolder(resolve(this.dataFolder)));
    await this.start();
    this.#address = this.url;
  }

  /**
   * Restarts the server with its data, at the same address.
   * @throws Error if another process has taken the port meanwhile
   */
  async restart(): Promise<void> {
    await this.services?.stop();
    await this.start();
    if (this.url !== this.#address) throw new Error(`its port was taken: now ${new URL(this.url).host}`);
  }

  /** Stops the PostgreSQL or Redis server gracefully. */
  async stop(): Promise<void> {
    await this.services?.stop();
  }

  /** Kills the PostgreSQL or Redis server and all its processes. */
  async kill(signal: 'SIGKILL' | 'SIGQUIT' = 'SIGKILL'): Promise<void> {
    const tree = treeOf(this.pid);
    // All processes are paused first, so that none notices the death of another and cleans up.
    if (signal === 'SIGKILL') {
      signalAll(tree, 'SIGSTOP');
      signalAll(tree, 'SIGKILL');
    } else {
      signalAll([this.pid], signal);
    }
    await waitForExitOfAll(tree);
  }

  /** Returns the ids of the server's main process and of its descendant processes. */
  processes(): readonly number[] {
    return treeOf(this.pid);
  }

  /** Pauses all processes of the PostgreSQL or Redis server. Returns a function that resumes the processes. */
  pause(): () => void {
    const tree = treeOf(this.pid);
    signalAll(tree, 'SIGSTOP');
    return () => signalAll(tree, 'SIGCONT');
  }

  protected abstract get pid(): number;

  protected abstract get url(): string;

  protected abstract readonly without: { readonly postgres?: false; readonly redis?: false };

  private async start(): Promise<void> {
    this.services = await startLocalServices({ dataFolder: this.dataFolder, log: () => undefined, ...this.without });
  }
}
