import { join } from 'node:path';
import { Store } from './store.js';

/** A PostgreSQL server that writes to disk durably (fsync). */
export class PostgresStore extends Store {
  protected readonly without = { redis: false } as const;

  /** PostgreSQL's data folder. */
  get clusterFolder(): string {
    return join(this.#serviceFolder, 'postgres');
  }

  /** File with the password of the server. */
  get credentialsFile(): string {
    return join(this.#serviceFolder, 'credentials.json');
  }

  get #serviceFolder(): string {
    const { services } = this;
    if (services === undefined) throw new Error('The server was never started');
    return services.serviceFolder;
  }

  urlOf(database: string): string {
    return this.services?.postgresUrl(database) ?? '';
  }

  protected get url(): string {
    return this.urlOf('postgres');
  }

  protected get pid(): number {
    return this.services?.pids.postgres ?? 0;
  }
}
