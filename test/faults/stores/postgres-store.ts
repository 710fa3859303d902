import { join } from 'node:path';
import { Store } from './store.js';

/** A PostgreSQL server of a fault test that writes durably to disk (fsync). */
export class PostgresStore extends Store {
  protected readonly without = { redis: false } as const;

  /** Path of PostgreSQL's data folder. */
  get clusterFolder(): string {
    return join(this.#serviceFolder, 'postgres');
  }

  /** Path of the file with the password of the PostgreSQL server. */
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
