/** State of one set of migrations in a database. For example, the service and the queue package have separate sets. */
export interface MigrationSetState {
  /** Name of the set of migrations, such as `queue`. */
  readonly set: string;
  /** Names of the applied migrations, oldest first, including unknown migrations. */
  readonly applied: readonly string[];
  /** Names of the migrations of this release that are not applied yet, in the order of application. */
  readonly pending: readonly string[];
  /** Names of the applied migrations that are unknown to this release. */
  readonly unknown: readonly string[];
  /** True if the database does not exist. Default false. */
  readonly isDatabaseMissing?: boolean;
  /**
   * Reason, other than pending migrations, why this release cannot use or migrate the tables of the set; undefined if
   * there is none.
   */
  readonly problem?: Error | undefined;
}

/** States of all sets of migrations of a service, in the order in which they are applied. */
export type ServiceMigrationState = readonly MigrationSetState[];

const maxListedMigrations = 10;

/** Names that the error messages of {@link requireUsableSchema} contain. */
export interface SchemaMessageNames {
  /** Name of the database, for error messages. */
  readonly database: string;
  /** Command line with which the operator applies the migrations, for error messages. */
  readonly migrate: string;
}

/** Error for a database that does not exist. The message names the database. */
export class MissingDatabaseError extends Error {
  override readonly name = 'MissingDatabaseError';

  constructor({ database, migrate }: SchemaMessageNames) {
    super(
      `The database ${database} does not exist. Check its name in DATABASE_URL. Only for a new installation, create it by: ${migrate}`,
    );
  }
}

/**
 * Error for a database that lacks migrations of this release. The message names the missing migrations and the command
 * that applies them.
 */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  /** @param migrate command line that applies the migrations */
  constructor(state: ServiceMigrationState, migrate: string) {
    const pending = state.flatMap((tables) => tables.pending.map((name) => `${tables.set} ${name}`));
    const further = pending.length - maxListedMigrations;
    const listed = pending.slice(0, maxListedMigrations).join(', ') + (further > 0 ? ` and ${further} more` : '');
    const counted = pending.length === 1 ? 'a migration' : `${pending.length} migrations`;
    super(`The database lacks ${counted} of this release: ${listed}. Run: ${migrate}`);
  }
}

/**
 * Checks that this release can use a database as it is.
 *
 * @throws Error `problem` of the first set that has one
 * @throws MissingDatabaseError when the database does not exist
 * @throws PendingMigrationsError when migrations are pending
 */
export function requireUsableSchema(state: ServiceMigrationState, names: SchemaMessageNames): void {
  for (const { problem } of state) if (problem !== undefined) throw problem;
  if (state.some(({ isDatabaseMissing }) => isDatabaseMissing === true)) throw new MissingDatabaseError(names);
  if (state.some(({ pending }) => pending.length > 0)) throw new PendingMigrationsError(state, names.migrate);
}

/**
 * Returns the log line about the migrations in a database that are unknown to this release. Returns null if there are
 * no unknown migrations.
 */
export function describeUnknownMigrations(state: ServiceMigrationState): string | null {
  const unknown = state.flatMap((tables) => tables.unknown.map((name) => `${tables.set} ${name}`));
  return unknown.length === 0 ? null : `A later release has applied migrations to this database: ${unknown.join(', ')}`;
}

/**
 * Summary of a database's migration state in one word. The summary is `problem` if any set of migrations has a problem,
 * otherwise `pending` or `up_to_date`.
 */
type SchemaStateSummary = 'up_to_date' | 'pending' | 'problem';

function summarizeSchemaState(state: ServiceMigrationState): SchemaStateSummary {
  if (state.some(({ problem }) => problem !== undefined)) return 'problem';
  return state.some(({ pending }) => pending.length > 0) ? 'pending' : 'up_to_date';
}

const exitCodeBySchemaState: Readonly<Record<SchemaStateSummary, number>> = { up_to_date: 0, pending: 3, problem: 1 };

/** Returns the exit code of `admin migrate --status`: 0 for up to date, 3 for pending migrations, 1 for a problem. */
export function getSchemaExitCode(state: ServiceMigrationState): number {
  return exitCodeBySchemaState[summarizeSchemaState(state)];
}

function toListedMigrations({ set, applied, pending, unknown }: MigrationSetState) {
  const unknownNames = new Set(unknown);
  return [
    ...applied.map((name) => ({ set, name, state: unknownNames.has(name) ? 'unknown' : 'applied' })),
    // A migration that failed or is being applied is unknown without being applied.
    ...unknown.filter((name) => !applied.includes(name)).map((name) => ({ set, name, state: 'unknown' })),
    ...pending.map((name) => ({ set, name, state: 'pending' })),
  ];
}

/**
 * Returns the output lines of `admin migrate --status`: each migration with its state, then the problems and the
 * summary.
 */
export function describeSchemaState(state: ServiceMigrationState): string {
  const lines = state
    .flatMap(toListedMigrations)
    .map(({ set, name, state: condition }) => `${condition.padEnd(8)} ${set.padEnd(9)} ${name}`);
  const problems = state.flatMap(({ problem }) => (problem === undefined ? [] : [`problem: ${problem.message}`]));
  return [...lines, ...problems, summarizeSchemaState(state).replaceAll('_', ' ')].join('\n');
}

/**
 * Returns the JSON output of `admin migrate --status --json`.
 *
 * @param release version of the running release
 */
export function formatSchemaStateAsJson(state: ServiceMigrationState, release: string): string {
  return JSON.stringify({
    release,
    state: summarizeSchemaState(state),
    migrations: state.flatMap(toListedMigrations),
    problems: state.flatMap(({ problem }) => (problem === undefined ? [] : [problem.message])),
  });
}
