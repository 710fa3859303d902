import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServerProcess } from '../server-process.js';
import type { BenchmarkServices } from '../benchmark-services.js';

/**
 * Names of the compared servers: the baseline server, the event log, and the event log without immediate delivery after
 * its commits.
 */
export const COMPARED_SERVERS = ['baseline', 'product', 'doorbell'] as const;
/**
 * A server that the event benchmarks compare. `doorbell` is the event log without immediate delivery after its commits,
 * so that only a BullMQ job triggers the delivery.
 */
export type ComparedServer = (typeof COMPARED_SERVERS)[number];

/** Names of the servers whose event logs have different stores. */
export const STORE_SERVERS = ['tables', 'redis'] as const;

type EventServerName = ComparedServer | (typeof STORE_SERVERS)[number];

/**
 * Returns the name of a compared server's database. Each kind of server has its own database, because an event log
 * numbers and appends all event rows in its database.
 */
const getDatabaseName = (side: EventServerName): string => `bench_events_${side}`;

/**
 * Starts and stops the compared servers of the event benchmarks. All servers of one kind serve the same event queues.
 */
export class EventServers {
  private running: ServerProcess[] = [];

  private constructor(private readonly stack: BenchmarkServices) {}

  /** Creates one database for each kind of server, with a table for sent messages. */
  static async create(
    stack: BenchmarkServices,
    sides: readonly EventServerName[] = COMPARED_SERVERS,
  ): Promise<EventServers> {
    const table = 'CREATE TABLE messages (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text NOT NULL)';
    for (const database of sides.map(getDatabaseName)) {
      await executeSqlOnServer(stack.services.postgresUrl('postgres'), `CREATE DATABASE ${database}`);
      await executeSqlOnServer(stack.services.postgresUrl(database), table);
    }
    return new EventServers(stack);
  }

  /** @param realm the realm whose event log the product writes and reads */
  async startComparedServer(side: EventServerName, realm: string = side): Promise<ServerProcess> {
    const script = side === 'baseline' ? 'baselines/events-server.js' : 'events/service.js';
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: this.stack.services.postgresUrl(getDatabaseName(side)),
      REDIS_URL: this.stack.services.redisUrl,
      REDIS_KEY_PREFIX: `bench-${side}`,
      REALM: realm,
      STORE: side === 'tables' ? 'tables' : 'redis',
      DRAIN_AFTER_COMMIT: String(side !== 'doorbell'),
    };
    const server = await startServerProcess(join(import.meta.dirname, '..', script), env, '/health/ready');
    this.running.push(server);
    return server;
  }

  /** Stops all benchmark servers that this object has started. */
  async stopServers(): Promise<void> {
    const { running } = this;
    this.running = [];
    await Promise.all(running.map((server) => server.stop()));
  }
}

async function executeSqlOnServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
