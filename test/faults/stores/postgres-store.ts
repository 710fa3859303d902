import { Store } from './store.js';

/** A PostgreSQL server that writes to disk durably (fsync). */
export class PostgresStore extends Store {
  protected readonly without = { redis: false } as const;

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
