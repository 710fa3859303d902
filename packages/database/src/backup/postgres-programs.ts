import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { BackupError } from './backup-error.js';

/** Paths or names of the PostgreSQL client programs, and the environment variables from which the programs inherit. */
export interface PostgresProgramPaths {
  readonly pgDump: string;
  readonly pgRestore: string;
  readonly psql: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A PostgreSQL client program: its name in error messages, path, and the environment variable that configures the path.
 */
interface PostgresProgram {
  readonly name: string;
  readonly path: string;
  readonly variable: string;
}

/** Returns the PostgreSQL client programs `pg_dump`, `pg_restore` and `psql` with their configured paths. */
export function listPostgresPrograms({ pgDump, pgRestore, psql }: PostgresProgramPaths) {
  return {
    pgDump: { name: 'pg_dump', path: pgDump, variable: 'PG_DUMP' },
    pgRestore: { name: 'pg_restore', path: pgRestore, variable: 'PG_RESTORE' },
    psql: { name: 'psql', path: psql, variable: 'PSQL' },
  } as const satisfies Record<string, PostgresProgram>;
}

/**
 * Pattern for names of environment variables that PostgreSQL client programs inherit. It matches variables of libpq,
 * and variables with which programs find files, languages and certificates. Excludes the service file and the host
 * address of libpq, because these would take precedence over the database URL.
 */
const inheritedVariableNamePattern =
  /^(?:PG(?!SERVICE|HOSTADDR)[A-Z]+|PATH|HOME|TMPDIR|TZ|LANG|LC_[A-Z]+|SSL_CERT_(?:FILE|DIR))$/;

/** Environment variables of libpq, by the parameter of the database URL whose value they receive. */
const libpqVariableByUrlParameter = {
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
} as const;

/**
 * Returns the environment variables with which a PostgreSQL client program connects to a database. The password and the
 * address are variables and not arguments, because all users of a machine can list the arguments of a process.
 */
export function createPostgresConnectionEnvironment(
  url: string,
  environment: PostgresProgramPaths['environment'],
): Record<string, string> {
  const inherited = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && inheritedVariableNamePattern.test(name) ? [[name, value]] : [],
  );
  const { host, port, user, database, password } = new pg.Client({ connectionString: url });
  const own: Record<string, string> = { PGHOST: host, PGPORT: String(port), PGAPPNAME: 'switchboard backup' };
  if (user !== undefined) own['PGUSER'] = user;
  if (database !== undefined) own['PGDATABASE'] = database;
  if (typeof password === 'string') own['PGPASSWORD'] = password;
  // The class URL refuses URLs of Unix sockets, which have no host.
  const parameters = new URLSearchParams(url.split('?')[1] ?? '');
  for (const [parameter, variable] of Object.entries(libpqVariableByUrlParameter)) {
    const value = parameters.get(parameter);
    if (value !== null) own[variable] = value;
  }
  return { ...Object.fromEntries(inherited), ...own, ...createPostgresEncryptionVariables(parameters) };
}

/**
 * Returns environment variables with which libpq encrypts and verifies connections in the same way as the service's
 * driver. The driver verifies the server's certificate and host name in all modes except `disable` and `no-verify`.
 */
function createPostgresEncryptionVariables(parameters: URLSearchParams): Record<string, string> {
  const ssl = ['true', '1'].includes(parameters.get('ssl') ?? '') ? 'verify-full' : null;
  const mode = parameters.get('sslmode') ?? ssl;
  if (mode === null) return {};
  if (mode === 'disable') return { PGSSLMODE: 'disable' };
  if (mode === 'no-verify') return { PGSSLMODE: 'require' };
  return { PGSSLMODE: 'verify-full', PGSSLROOTCERT: parameters.get('sslrootcert') ?? 'system' };
}

const maxPostgresProgramErrorLength = 4_000;

/** A PostgreSQL client program that is running. */
export interface RunningPostgresProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /**
   * Resolves when the program has ended with exit code 0.
   *
   * @throws BackupError with the error line of the program, or if the program does not exist
   */
  readonly ended: Promise<void>;
}

/** Starts a PostgreSQL client program with the given environment. */
export function startPostgresProgram(
  { name, path, variable }: PostgresProgram,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningPostgresProgram {
  const child = spawn(path, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxPostgresProgramErrorLength);
  });
  // A program that ends early closes its input. Its exit code and error output give the reason.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => {
      const reason = Reflect.get(cause, 'code') === 'ENOENT' ? 'was not found' : `cannot be started (${cause.message})`;
      const advice = `Install the PostgreSQL client, or set ${variable} to the path of the program.`;
      reject(new BackupError(`${name} ${reason}. ${advice}`, { cause }));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new BackupError(
            `${name} failed: ${getFirstErrorLine(errors, environment) || (signal ?? `exit code ${code}`)}`,
          ),
        );
    });
  });
  // The caller may wait for the output first.
  ended.catch(() => {});
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/**
 * Returns the first line of a program's error output that names an error, or the last line of the output. The database
 * password is removed from the line.
 */
function getFirstErrorLine(output: string, { PGPASSWORD: password = '' }: Readonly<Record<string, string>>): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /\b(?:ERROR|FATAL|error|fatal):/.test(text)) ?? lines.at(-1) ?? '';
  return password === '' ? line : line.replaceAll(password, '…');
}

/** Version of a PostgreSQL client program. */
export interface PostgresProgramVersion {
  /** Version number of the program as text, such as `18.4`. */
  readonly text: string;
  readonly major: number;
}

/**
 * Runs a client program with `--version`.
 *
 * @throws BackupError for a program that does not exist or is none of PostgreSQL
 */
export async function readPostgresProgramVersion(
  program: PostgresProgram,
  environment: PostgresProgramPaths['environment'],
): Promise<PostgresProgramVersion> {
  const running = startPostgresProgram(
    program,
    ['--version'],
    createPostgresConnectionEnvironment('postgres:///', environment),
  );
  running.stdin.end();
  let output = '';
  for await (const chunk of running.stdout) output += String(chunk);
  await running.ended;
  const [, text, major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(output) ?? [];
  if (text === undefined) throw new BackupError(`${program.path} is not ${program.name} of PostgreSQL.`);
  return { text, major: Number(major) };
}
