import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg, { type Client } from 'pg';
import { removeTimeLimitsSql } from '../migrations/connect-for-migrations.js';
import type { BackedUpService } from './backed-up-service.js';
import { BackupError } from './backup-error.js';
import {
  createPostgresConnectionEnvironment,
  listPostgresPrograms,
  startPostgresProgram,
} from './postgres-programs.js';

/**
 * SQL condition on rows of pg_stat_activity that selects other clients of the database. The condition excludes
 * background workers, which have no role or another type.
 */
const otherClientConditionSql = `datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL
  AND coalesce(backend_type, 'client backend') = 'client backend'`;

const maxClientsNamedInError = 5;

/**
 * Checks that only this session is connected to the database.
 *
 * @throws BackupError that names the other sessions
 */
export async function requireNoOtherDatabaseClient(client: Client): Promise<void> {
  const { rows } = await client.query<{ pid: number; name: string | null; role: string; address: string | null }>(
    `SELECT pid, application_name AS name, usename AS role, host(client_addr) AS address
       FROM pg_stat_activity WHERE ${otherClientConditionSql} ORDER BY pid LIMIT ${maxClientsNamedInError}`,
  );
  if (rows.length === 0) return;
  const named = rows.map(({ pid, name, role, address }) => {
    const from = address === null ? '' : `, from ${address}`;
    return `"${name ?? ''}" (session ${pid}, role ${role}${from})`;
  });
  throw new BackupError(
    `The database is in use: ${named.join(', ')}. Stop all processes of the service, and end other sessions.`,
  );
}

/**
 * SQL query for the objects of a schema, with their types and names for DROP. The query omits extensions and their
 * objects. It also omits objects that are removed with another object: sequences of identity columns, and statistics
 * objects.
 */
const selectSchemaObjectsSql = `SELECT named.type, named.identity
  FROM pg_depend contained CROSS JOIN LATERAL pg_identify_object(contained.classid, contained.objid, 0) AS named
  WHERE contained.refclassid = 'pg_namespace'::regclass AND contained.deptype = 'n'
    AND named.type NOT IN ('extension', 'statistics object')
    AND NOT EXISTS (SELECT FROM pg_depend member WHERE member.classid = contained.classid
      AND member.objid = contained.objid AND member.deptype IN ('e', 'i'))`;

/**
 * Returns true if a database contains no objects except extensions.
 *
 * @param schemas schemas of the service; an empty database contains none of these except `public`
 */
export async function isEmptyDatabase(client: Client, schemas: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ isEmpty: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = ANY ($1) AND nspname <> 'public')
       AND NOT EXISTS (${selectSchemaObjectsSql} AND contained.refobjid = to_regnamespace('public')) AS "isEmpty"`,
    [schemas],
  );
  return rows[0]?.isEmpty === true;
}

/**
 * Returns SQL statements that remove the tables of a service. The schema `public` remains, because it may belong to
 * another role and may contain extensions.
 */
function createTableRemovalSql(schemas: readonly string[]): string {
  const others = schemas.filter((schema) => schema !== 'public');
  const drops = others.map((schema) => `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE;`);
  return `SET LOCAL lock_timeout = '10s';
SET LOCAL client_min_messages = warning;
${drops.join('\n')}
DO $removal$
DECLARE
  -- All names are read first, because a dropped object has no name.
  statements text[] := ARRAY(SELECT format('DROP %s IF EXISTS %s CASCADE', type, identity)
    FROM (${selectSchemaObjectsSql} AND contained.refobjid = to_regnamespace('public')) AS own);
  statement text;
BEGIN
  FOREACH statement IN ARRAY statements LOOP
    EXECUTE statement;
  END LOOP;
END
$removal$;`;
}

/** SQL statement that raises an error if another client has connected to the database during the restore. */
const failIfClientConnectedSql = `DO $check$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE ${otherClientConditionSql}) THEN
    RAISE EXCEPTION 'another process has connected to the database during the restore';
  END IF;
END
$check$;`;

/**
 * Restores a database dump in one transaction of psql. With `replaces`, this transaction first removes the existing
 * tables. If a statement fails, the existing tables remain. COMMIT is sent only after pg_restore has ended
 * successfully.
 *
 * @throws BackupError with the error of psql or pg_restore
 */
export async function restoreDatabase(
  { programs, url, schemas, restoredSql = '' }: Pick<BackedUpService, 'programs' | 'url' | 'schemas' | 'restoredSql'>,
  { dump, replaces }: { readonly dump: string; readonly replaces: boolean },
): Promise<void> {
  const { pgRestore, psql } = listPostgresPrograms(programs);
  const environment = createPostgresConnectionEnvironment(url, programs.environment);
  // Owner and rights come from the role of the restore and its default privileges, so that roles may have other names.
  const args = ['--no-owner', '--no-privileges', '--no-comments', '--no-publications', '--no-subscriptions'];
  const script = startPostgresProgram(pgRestore, [...args, '--file=-', dump], environment);
  script.stdin.end();
  const session = startPostgresProgram(
    psql,
    ['--no-psqlrc', '--quiet', '--no-password', '--output=/dev/null', '--set=ON_ERROR_STOP=1'],
    environment,
  );
  session.stdout.resume();
  async function* statements(): AsyncGenerator<string | Buffer> {
    yield `BEGIN;\n${removeTimeLimitsSql};\n${replaces ? `${createTableRemovalSql(schemas)}\n` : ''}`;
    yield* script.stdout as AsyncIterable<Buffer>;
    await script.ended;
    yield `\n${restoredSql};\n${failIfClientConnectedSql}\nCOMMIT;\n`;
  }
  const outcomes = await Promise.allSettled([
    session.ended,
    script.ended,
    pipeline(Readable.from(statements(), { objectMode: false }), session.stdin),
  ]);
  // An error of psql ends pg_restore, and not the reverse.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
