import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresProgramPaths } from '../src/index.js';

/** Begins each script: modules, and a connection by the variables of libpq. */
const preamble = (folder: string, version: string): string => `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { setTimeout: delay } = require('node:timers/promises');
const pg = require(${JSON.stringify(createRequire(import.meta.url).resolve('pg'))});
const folder = ${JSON.stringify(folder)};
const connect = async () => { const client = new pg.Client(); await client.connect(); return client; };
if (process.argv[2] === '--version') { console.log('program (PostgreSQL) ${version}'); process.exit(); }
const fail = (error) => { console.error('ERROR:  ' + error.message); process.exit(3); };
`;

/** Dumps the table `notes` of the given snapshot as SQL, after a concurrent transaction has added a row. */
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

/** Runs its input as one query. Without COMMIT at its end, everything is rolled back. */
const psqlScript = `
(async () => {
  const client = await connect();
  try { await client.query(readFileSync(0, 'utf8')); } finally { await client.end(); }
})().catch(fail);`;

/**
 * Programs in place of pg_dump, pg_restore and psql, which a machine may lack. They use the real server. A dump is the
 * text of SQL statements.
 */
export class StandInPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-programs-'));
  readonly programs: PostgresProgramPaths = {
    pgDump: this.write('pg_dump', dumpScript),
    pgRestore: this.write('pg_restore', "process.stdout.write(readFileSync(process.argv.at(-1), 'utf8'));"),
    psql: this.write('psql', psqlScript),
    environment: { PATH: process.env['PATH'], SECRET_PEPPERS: '1:pepper', PGOPTIONS: '-c geqo=off' },
  };

  /** Writes a program and returns its path. */
  write(name: string, script: string, version = '99.1'): string {
    const path = join(this.folder, name);
    writeFileSync(path, preamble(this.folder, version) + script);
    chmodSync(path, 0o755);
    return path;
  }

  /** Returns arguments and environment of the last call of pg_dump. */
  lastDump(): { args: string[]; env: Record<string, string> } {
    return JSON.parse(readFileSync(join(this.folder, 'pg_dump.json'), 'utf8')) as ReturnType<
      StandInPrograms['lastDump']
    >;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
