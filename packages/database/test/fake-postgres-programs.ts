import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresProgramPaths } from '../src/index.js';

/**
 * Returns the beginning of each stand-in program: the imported modules, and a connection that uses the environment
 * variables of libpq.
 */
const preamble = (folder: string, version: string): string => `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { setTimeout: delay } = require('node:timers/promises');
const pg = require(${JSON.stringify(createRequire(import.meta.url).resolve('pg'))});
const folder = ${JSON.stringify(folder)};
const connect = async () => { const client = new pg.Client(); await client.connect(); return client; };
if (process.argv[2] === '--version') { console.log('program (PostgreSQL) ${version}'); process.exit(); }
const fail = (error) => { console.error('ERROR:  ' + error.message); process.exit(3); };
`;

/**
 * Script that stands in for pg_dump. It dumps the table `notes` of the given snapshot as SQL, after a concurrent
 * transaction has added a row.
 */
const dumpScript = `
const [, snapshot] = process.argv.find((arg) => arg.startsWith('--snapshot=')).split('=');
writeFileSync(folder + '/pg_dump.json', JSON.stringify({ args: process.argv.slice(2), env: process.env }));
(async () => {
  const client = await connect();
  await client.query("INSERT INTO notes VALUES (99, 'after the snapshot', NULL)");
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query("SET TRANSACTION SNAPSHOT '" + snapshot + "'");
  const { rows } = await client.query('SELECT id, text, file FROM notes ORDER BY id');
  await client.end();
  console.log('CREATE TABLE public._prisma_migrations (id text, checksum text, finished_at timestamptz, '
    + 'migration_name text, logs text, rolled_back_at timestamptz, started_at timestamptz);');
  console.log("INSERT INTO public._prisma_migrations VALUES ('1', '', now(), '20260101000000_notes', NULL, NULL, now());");
  console.log('CREATE SCHEMA extra; CREATE TABLE public.notes (id int PRIMARY KEY, text text, file text);');
  for (const { id, text, file } of rows) {
    const values = [text, file].map((value) => (value === null ? 'NULL' : pg.escapeLiteral(value)));
    console.log('INSERT INTO public.notes VALUES (' + id + ', ' + values.join(', ') + ');');
  }
})().catch(fail);`;

/**
 * Script that stands in for psql. The program runs its input as one query. If the input does not end with COMMIT, all
 * changes are rolled back.
 */
const psqlScript = `
(async () => {
  const client = await connect();
  try { await client.query(readFileSync(0, 'utf8')); } finally { await client.end(); }
})().catch(fail);`;

/**
 * Stand-in programs for pg_dump, pg_restore and psql, which a machine may lack. The programs use the real server. Their
 * dump consists of SQL statements.
 */
export class StandInPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-programs-'));
  readonly programs: PostgresProgramPaths = {
    pgDump: this.write('pg_dump', dumpScript),
    pgRestore: this.write('pg_restore', "process.stdout.write(readFileSync(process.argv.at(-1), 'utf8'));"),
    psql: this.write('psql', psqlScript),
    environment: { PATH: process.env['PATH'], SECRET_PEPPERS: '1:pepper', PGOPTIONS: '-c geqo=off' },
  };

  /** Writes a stand-in program as an executable file and returns its path. */
  write(name: string, script: string, version = '99.1'): string {
    const path = join(this.folder, name);
    writeFileSync(path, preamble(this.folder, version) + script);
    chmodSync(path, 0o755);
    return path;
  }

  /** Returns the arguments and the environment variables of the last call of pg_dump. */
  lastDump(): { args: string[]; env: Record<string, string> } {
    return JSON.parse(readFileSync(join(this.folder, 'pg_dump.json'), 'utf8')) as ReturnType<
      StandInPrograms['lastDump']
    >;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
