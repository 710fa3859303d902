import { resolve } from 'node:path';
import {
  createServiceFolder,
  type LocalServices,
  resetLocalServices,
  startLocalServices,
} from '@switchboard/local-services';
import { waitForExitOfAll, signalAll, treeOf } from './process-tree.js';

/** A PostgreSQL or Redis server of a fault test, durable as in production, that can be killed, paused and restarted. */
export abstract class Store {
  /** The running server; undefined while it is down. */
  protected services: LocalServices | undefined;
  #address = '';

  constructor(private readonly dataFolder: string) {}

  /** Starts the server with an empty data folder. */
  startEmpty(): Promise<void> {
    return this.startWithFiles(() => Promise.resolve());
  }

  /**
   * Starts the server with the files that a function writes.
   *
   * @param write gets the folder of the server's files
   */
  async startWithFiles(write: (serviceFolder: string) => Promise<void>): Promise<void> {
    await resetLocalServices({ dataFolder: this.dataFolder, log: () => undefined });
    await write(createServiceFolder(resolve(this.dataFolder)));
    await this.start();
    this.#address = this.url;
  }

  /**
   * Restarts the server with its data, at the same address.
   * @throws Error if its port was taken meanwhile
   */
  async restart(): Promise<void> {
    await this.services?.stop();
    await this.start();
    if (this.url !== this.#address) throw new Error(`its port was taken: now ${new URL(this.url).host}`);
  }

  /** Stops the server gracefully. */
  async stop(): Promise<void> {
    await this.services?.stop();
  }

  /** Kills the server and all its processes. */
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

  /** Returns the ids of the server's process and its descendants. */
  processes(): readonly number[] {
    return treeOf(this.pid);
  }

  /** Pauses all processes of the server. Returns a function that resumes them. */
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
