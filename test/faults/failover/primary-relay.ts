import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { pause } from '../abortable-pause.js';

/** Interval between checks of a server, in milliseconds. */
const checkMs = 250;
/** Time limit of a check, in milliseconds. */
const checkTimeoutMs = 1_000;
/** Number of failed checks in succession after which a server counts as lost. */
const failuresOfLostServer = 2;

/** A server behind the relay. */
interface RelayedServer {
  readonly url: string;
  readonly port: number;
  readonly sessions: Set<Socket>;
  /** Connection for checks; undefined after a failed check. */
  checks: pg.Client | undefined;
  /** Timeline of the server while it is a primary that accepts writes; 0 while it is not. */
  timeline: number;
}

/**
 * One address that leads to the primary of several PostgreSQL servers, as HAProxy does that asks each server for its
 * role. Of two primaries the later one counts, as with a proxy that asks Patroni.
 */
export class PrimaryRelay {
  /** False to leave the sessions of a lost server open, as a floating address does that moves. */
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

  /** Returns the address of a database of the primary. */
  urlOf(database: string): string {
    const url = new URL(this.#servers[0]?.url ?? '');
    const address = this.#listener?.address() as AddressInfo | null | undefined;
    url.port = String(address?.port ?? 0);
    url.pathname = `/${database}`;
    return url.href;
  }

  /** Starts to listen. Resolves when the primary is known. */
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
