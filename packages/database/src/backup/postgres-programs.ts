import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { BackupError } from './backup-error.js';

/** Paths or names of the PostgreSQL client programs, and the environment variables that they inherit. */
export interface PostgresProgramPaths {
  readonly pgDump: string;
  readonly pgRestore: string;
  readonly psql: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A client program: its name in errors, its path, and the variable that selects it. */
interface PostgresProgram {
  readonly name: string;
  readonly path: string;
  readonly variable: string;
}

/** Returns each client program by its usual name. */
export function listPostgresPrograms({ pgDump, pgRestore, psql }: PostgresProgramPaths) {
  return {
    pgDump: { name: 'pg_dump', path: pgDump, variable: 'PG_DUMP' },
    pgRestore: { name: 'pg_restore', path: pgRestore, variable: 'PG_RESTORE' },
    psql: { name: 'psql', path: psql, variable: 'PSQL' },
  } as const satisfies Record<string, PostgresProgram>;
}

/**
 * Variables that client programs inherit: those of libpq, and those to find programs, files, texts and certificates. A
 * service file or another address would take precedence over the address of the URL.
 */
const inheritedVariableNames =
  /^(?:PG(?!SERVICE|HOSTADDR)[A-Z]+|PATH|HOME|TMPDIR|TZ|LANG|LC_[A-Z]+|SSL_CERT_(?:FILE|DIR))$/;

/** Parameters of a URL that libpq reads from variables with these names. */
const variableByUrlParameter = {
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
} as const;

/**
 * Returns the environment of a client program for a database. The password and the address are variables and not
 * arguments, because all users of the machine can list the arguments of a process.
 */
export function createConnectionEnvironment(
  url: string,
  environment: PostgresProgramPaths['environment'],
): Record<string, string> {
  const inherited = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && inheritedVariableNames.test(name) ? [[name, value]] : [],
  );
  const { host, port, user, database, password } = new pg.Client({ connectionString: url });
  const own: Record<string, string> = { PGHOST: host, PGPORT: String(port), PGAPPNAME: 'switchboard backup' };
  if (user !== undefined) own['PGUSER'] = user;
  if (database !== undefined) own['PGDATABASE'] = database;
  if (typeof password === 'string') own['PGPASSWORD'] = password;
  // The class URL refuses URLs of Unix sockets, which have no host.
  const parameters = new URLSearchParams(url.split('?')[1] ?? '');
  for (const [parameter, variable] of Object.entries(variableByUrlParameter)) {
    const value = parameters.get(parameter);
    if (value !== null) own[variable] = value;
  }
  return { ...Object.fromEntries(inherited), ...own, ...createEncryptionVariables(parameters) };
}

/**
 * Returns variables with which libpq encrypts and verifies as the driver of the service does: the driver verifies
 * certificate and name in all modes but `disable` and `no-verify`.
 */
function createEncryptionVariables(parameters: URLSearchParams): Record<string, string> {
  const ssl = ['true', '1'].includes(parameters.get('ssl') ?? '') ? 'verify-full' : null;
  const mode = parameters.get('sslmode') ?? ssl;
  if (mode === null) return {};
  if (mode === 'disable') return { PGSSLMODE: 'disable' };
  if (mode === 'no-verify') return { PGSSLMODE: 'require' };
  return { PGSSLMODE: 'verify-full', PGSSLROOTCERT: parameters.get('sslrootcert') ?? 'system' };
}

const maxProgramErrorLength = 4_000;

/** A client program that runs. */
export interface RunningPostgresProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /**
   * Resolves when the program has ended with exit code 0.
   *
   * @throws BackupError with the last lines of its error output, or for a program that does not exist
   */
  readonly ended: Promise<void>;
}

/** Starts a client program with the given environment. */
export function startPostgresProgram(
  { name, path, variable }: PostgresProgram,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningPostgresProgram {
  const child = spawn(path, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxProgramErrorLength);
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

/** Returns the line of an error output that names the error, or its last line. The password is removed. */
function getFirstErrorLine(output: string, { PGPASSWORD: password = '' }: Readonly<Record<string, string>>): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /\b(?:ERROR|FATAL|error|fatal):/.test(text)) ?? lines.at(-1) ?? '';
  return password === '' ? line : line.replaceAll(password, '…');
}

/** Version of a client program. */
export interface ProgramVersion {
  /** Version such as `18.4`. */
  readonly text: string;
  readonly major: number;
}

/**
 * Runs a client program with `--version`.
 *
 * @throws BackupError for a program that does not exist or is none of PostgreSQL
 */
export async function readProgramVersion(
  program: PostgresProgram,
  environment: PostgresProgramPaths['environment'],
): Promise<ProgramVersion> {
  const running = startPostgresProgram(
    program,
    ['--version'],
    createConnectionEnvironment('postgres:///', environment),
  );
  running.stdin.end();
  let output = '';
  for await (const chunk of running.stdout) output += String(chunk);
  await running.ended;
  const [, text, major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(output) ?? [];
  if (text === undefined) throw new BackupError(`${program.path} is not ${program.name} of PostgreSQL.`);
  return { text, major: Number(major) };
}
