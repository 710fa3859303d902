import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { pause } from '../abortable-pause.js';

/** Interval between two checks of a database server, in milliseconds. */
const checkMs = 250;
/** Time limit of a check of a database server, in milliseconds. */
const checkTimeoutMs = 1_000;
/** Number of successive failed checks after which a database server counts as lost. */
const failuresOfLostServer = 2;

/** A database server behind the relay. */
interface RelayedServer {
  readonly url: string;
  readonly port: number;
  readonly sessions: Set<Socket>;
  /** Connection for the checks of the database server; undefined after a failed check. */
  checks: pg.Client | undefined;
  /** PostgreSQL timeline of the server while the server is a primary that accepts writes; otherwise 0. */
  timeline: number;
}

/**
 * Relay with one address that leads to the primary of several PostgreSQL servers. Like HAProxy, the relay asks each
 * server for its role. Of two primaries, the relay selects the primary with the higher timeline, which was promoted
 * later.
 */
export class PrimaryRelay {
  /**
   * True if the relay ends the sessions of a lost server. With false, the sessions remain open, like with a floating IP
   * address that moves to another server.
   */
  endsSessions = true;
  readonly #servers: readonly RelayedServer[];
  readonly #stopped = new AbortController();
  #listener: Server | undefined;

  /** @param urls addresses of a database of each server */
  constructor(urls: readonly string[]) {
    this.#servers = urls.map((url) => {
      return { url, port: Number(new URL(url).port), sessions: new Set(), checks: undefined, timeline: 0 };
    });
  }

  /** Returns the URL of a database on the primary, with the address of the relay. */
  urlOf(database: string): string {
    const url = new URL(this.#servers[0]?.url ?? '');
    const address = this.#listener?.address() as AddressInfo | null | undefined;
    url.port = String(address?.port ?? 0);
    url.pathname = `/${database}`;
    return url.href;
  }

  /** Starts to listen for connections. Resolves when the relay has found the primary database server. */
  async start(): Promise<this> {
    this.#listener = createServer((client) => this.#relay(client)).listen(0, '127.0.0.1');
    await once(this.#listener, 'listening');
    for (const server of this.#servers) void this.#watch(server);
    while (this.#findPrimary() === undefined) await pause(checkMs);
    return this;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const server of this.#servers) {
      endSessions(server);
      void server.checks?.end().catch(() => undefined);
    }
    await new Promise((resolve) => this.#listener?.close(resolve));
  }

  #findPrimary(): RelayedServer | undefined {
    const [newest] = this.#servers.toSorted((one, other) => other.timeline - one.timeline);
    return newest !== undefined && newest.timeline > 0 ? newest : undefined;
  }

  #relay(client: Socket): void {
    client.on('error', () => undefined);
    const primary = this.#findPrimary();
    if (primary === undefined) return void client.destroy();
    const upstream = connect(primary.port, '127.0.0.1');
    upstream.on('error', () => undefined);
    primary.sessions.add(client);
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.pipe(upstream).pipe(client);
    client.once('close', () => {
      primary.sessions.delete(client);
      upstream.destroy();
    });
    upstream.once('close', () => client.destroy());
  }

  async #watch(server: RelayedServer): Promise<void> {
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted; await pause(checkMs, signal)) {
      const timeline = await readTimeline(server);
      failures = timeline === 0 ? failures + 1 : 0;
      if (timeline > 0) server.timeline = timeline;
      if (failures !== failuresOfLostServer) continue;
      server.timeline = 0;
      if (this.endsSessions) endSessions(server);
    }
  }
}

function endSessions({ sessions }: RelayedServer): void {
  for (const session of sessions) session.destroy();
}

/** Returns the timeline of a primary that accepts writes, or 0 for any other server. */
async function readTimeline(server: RelayedServer): Promise<number> {
  try {
    server.checks ??= await openChecks(server.url);
    const { rows } = await server.checks.query<{ timeline: string | null }>(
      `SELECT CASE WHEN NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
                   THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`,
    );
    return Number.parseInt(rows[0]?.timeline ?? '0', 16);
  } catch {
    void server.checks?.end().catch(() => undefined);
    server.checks = undefined;
    return 0;
  }
}

async function openChecks(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: checkTimeoutMs,
    query_timeout: checkTimeoutMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
