import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, copyFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { pause } from '../abortable-pause.js';
import { PostgresStore } from './postgres-store.js';

/** Name of the standby server in PostgreSQL's setting `synchronous_standby_names`. */
const standbyName = 'standby';

const checkMs = 50;
/** Maximum time until the replication reaches an expected state, in milliseconds. */
const waitLimitMs = 180_000;
/** Time limit for opening a PostgreSQL connection, in milliseconds. */
const connectTimeoutMs = 60_000;

/** Mode of the PostgreSQL replication. With `synchronous`, a commit on the primary waits for the standby. */
export type ReplicationMode = 'synchronous' | 'asynchronous';

/** A PostgreSQL primary, and a standby that follows it by streaming replication. */
export class PostgresPair {
  readonly primary: PostgresStore;
  readonly standby: PostgresStore;

  /** @param folder folder for the data of both servers */
  constructor(folder: string) {
    this.primary = new PostgresStore(join(folder, 'primary'));
    this.standby = new PostgresStore(join(folder, 'standby'));
  }

  /** Starts the primary and the standby without data. */
  async start(mode: ReplicationMode): Promise<void> {
    const { primary, standby } = this;
    await primary.startEmpty();
    await standby.startWithFiles((folder) => this.#copyPrimary(folder));
    if (mode === 'synchronous') {
      await query(primary, `ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`);
      await query(primary, 'SELECT pg_reload_conf()');
    }
    const state = mode === 'synchronous' ? 'sync' : 'async';
    await waitUntil(`replication is not ${mode}`, async () => {
      const [row] = await query(primary, `SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`);
      return row?.['sync_state'] === state;
    });
  }

  /** Makes the standby the primary. Resolves when the new primary accepts writes. */
  async promoteStandby(): Promise<void> {
    const [row] = await query(this.standby, 'SELECT pg_promote(true, 60) AS promoted');
    if (row?.['promoted'] !== true) throw new Error('the standby was not promoted within 60 s');
  }

  /** Makes the primary accept only reads, even in open sessions. */
  async demotePrimary(): Promise<void> {
    await query(this.primary, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await query(this.primary, 'SELECT pg_reload_conf()');
  }

  /** Waits until the standby has received all commits that the primary had at the time of the call. */
  async waitForStandby(): Promise<void> {
    const [last] = await query(this.primary, 'SELECT pg_current_wal_flush_lsn()::text AS lsn');
    const hasAll = `SELECT pg_last_wal_replay_lsn() >= '${String(last?.['lsn'])}'::pg_lsn AS has`;
    await waitUntil('the standby lacks commits of the primary', async () => {
      const [row] = await query(this.standby, hasAll);
      return row?.['has'] === true;
    });
  }

  /**
   * Ends the replication from the primary to the standby. If the primary is asynchronous, later commits are lost when
   * the standby is promoted.
   */
  async cutReplication(): Promise<void> {
    await query(this.standby, `ALTER SYSTEM SET primary_conninfo = ''`);
    await query(this.standby, 'SELECT pg_reload_conf()');
    await waitUntil('the standby still follows the primary', async () => {
      const receivers = await query(this.standby, 'SELECT FROM pg_stat_wal_receiver');
      return receivers.length === 0;
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.standby.stop()]);
  }

  /**
   * Copies the data of the running primary to a folder, like the program pg_basebackup, which the local PostgreSQL
   * lacks.
   */
  async #copyPrimary(folder: string): Promise<void> {
    const { primary } = this;
    const cluster = join(folder, 'postgres');
    const client = await connect(primary);
    try {
      await client.query(`SELECT pg_backup_start('standby', true)`);
      // PostgreSQL refuses a folder of another owner, and Node copies no owners.
      execFileSync('cp', ['-a', primary.clusterFolder, cluster]);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      writeOwned(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
    // The standby requests the log from the primary. A copied segment may be incomplete.
    const log = join(cluster, 'pg_wal');
    for (const name of readdirSync(log)) rmSync(join(log, name), { recursive: true });
    copyFileSync(primary.credentialsFile, join(folder, 'credentials.json'));
    const { hostname, port, username, password } = new URL(primary.urlOf('postgres'));
    const address = `host=${hostname} port=${port} user=${username} password=${password}`;
    const settings = `primary_conninfo = '${address} application_name=${standbyName}'\n`;
    appendFileSync(join(cluster, 'postgresql.auto.conf'), settings);
    writeOwned(join(cluster, 'standby.signal'), '');
  }
}

/** Writes a file and gives the file the owner of its folder. That owner may differ from the user of this process. */
function writeOwned(path: string, text: string): void {
  writeFileSync(path, text);
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

async function connect(server: PostgresStore): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: server.urlOf('postgres'),
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs an SQL statement on a server, over a connection that is closed afterwards. */
async function query(server: PostgresStore, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(server);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until a condition is true. Throws an error with the text `problem` after the time limit. */
async function waitUntil(problem: string, check: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + waitLimitMs; !(await check()); await pause(checkMs)) {
    if (Date.now() > deadline) throw new Error(`after ${waitLimitMs} ms ${problem}`);
  }
}
