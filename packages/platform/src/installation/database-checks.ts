import { countAvailableCores } from '../supervisor/available-cores.js';
import { describeConnectionError } from '../lifecycle/admin-command-line.js';
import type { InstallationCheckFinding, InstallationCheck } from './run-installation-checks.js';

/** Facts about a database that the checks read, as `DatabaseInspection` of the package database reads them. */
export interface InspectedDatabase {
  readServer(): Promise<{
    readonly database: string;
    readonly clusterId: string;
    readonly version: string;
    readonly majorVersion: number;
    readonly connectionLimit: number;
  }>;
  listMissingGrants(schemas: readonly string[]): Promise<readonly string[]>;
  listUnownedObjects(schemas: readonly string[]): Promise<readonly string[]>;
  listMissingMigrationGrants(schemas: readonly string[]): Promise<readonly string[]>;
  requirePreparedStatements(): Promise<void>;
  listMissingExtensions(
    names: readonly string[],
  ): Promise<readonly { readonly name: string; readonly isAvailable: boolean }[]>;
  listChangedCollations(): Promise<readonly InspectedCollation[]>;
  readClockDifference(): Promise<number>;
}

/** A collation whose version has changed since its indexes were built. */
interface InspectedCollation {
  readonly name: string;
  readonly storedVersion: string;
  readonly actualVersion: string;
  readonly indexes: readonly string[];
  readonly refreshStatement: string;
}

/** Requirements of the service that {@link createDatabaseChecks} compares with the installation. */
export interface DatabaseCheckOptions {
  /** Database with the role of the processes. */
  readonly database: InspectedDatabase;
  /** Database with the role that migrates. */
  readonly migrationDatabase: InspectedDatabase;
  /** Oldest supported major version of PostgreSQL. */
  readonly minimumServerVersion: number;
  /** Schemas with tables of the service. */
  readonly schemas: readonly string[];
  /** Names of the extensions that the service needs. */
  readonly extensions: readonly string[];
  readonly config: {
    readonly DATABASE_POOL_SIZE: number;
    readonly PROCESSES: number | 'auto';
    readonly MIGRATE_AT_BOOT?: boolean | undefined;
    readonly NODE_ENV: string;
    readonly MIGRATION_DATABASE_URL?: string | undefined;
  };
}

/** Connections of a process in addition to its pool: change checks and VACUUM. */
const connectionsOutsidePool = 2;
/** Difference of the clocks from which the check warns, in milliseconds. */
const clockWarningMs = 1_000;
/** Difference of the clocks from which the check fails, in milliseconds. */
const clockFailureMs = 30_000;
const maxListedObjects = 5;

const ok = (text: string): InstallationCheckFinding => ({ level: 'ok', text });
const failed = (text: string): InstallationCheckFinding => ({ level: 'failed', text });

/** Returns the checks of a PostgreSQL server and of the service's database. */
export function createDatabaseChecks(options: DatabaseCheckOptions): InstallationCheck[] {
  const checks: InstallationCheck[] = [
    { name: 'postgresql', run: () => checkServerVersion(options) },
    { name: 'pooler', run: () => checkPooler(options) },
    { name: 'role', run: () => checkRoleRights(options) },
    { name: 'owner', run: () => checkMigrationRole(options) },
    { name: 'extensions', run: () => checkExtensions(options) },
    { name: 'collations', run: () => checkCollations(options) },
    { name: 'connections', run: () => checkConnectionLimit(options) },
    { name: 'clock', run: () => checkClock(options) },
  ];
  return checks.map(({ name, run }) => ({ name, run: () => explainConnectionErrors(run) }));
}

/** Runs a check. An error of the connection to PostgreSQL gets a message that names the variables of its URL. */
async function explainConnectionErrors(run: InstallationCheck['run']): Promise<InstallationCheckFinding> {
  try {
    return await run();
  } catch (error) {
    const explained = describeConnectionError(error);
    throw explained === null ? error : new Error(explained, { cause: error });
  }
}

async function checkServerVersion({
  database,
  minimumServerVersion,
}: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const server = await database.readServer();
  return server.majorVersion >= minimumServerVersion
    ? ok(`PostgreSQL ${server.version}`)
    : failed(`PostgreSQL ${server.version} is too old: PostgreSQL ${minimumServerVersion} or later is needed.`);
}

async function checkRoleRights({ database, schemas }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const grants = await database.listMissingGrants(schemas);
  if (grants.length === 0) return ok('The role of DATABASE_URL has the rights to read and write.');
  const text = `The role of DATABASE_URL lacks rights. As the owner, run: ${grants.join('; ')}.`;
  return failed(`${text} For tables of later migrations, set the default privileges of docs/operate/upgrades.md.`);
}

async function checkPooler({ database }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  await database.requirePreparedStatements();
  return ok('Prepared statements remain on their connection.');
}

async function checkMigrationRole(options: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const problem = await findMigrationProblem(options);
  if (problem === null) return ok('The role that migrates owns the tables and may create tables.');
  const { MIGRATION_DATABASE_URL: url, MIGRATE_AT_BOOT: migrates, NODE_ENV: mode } = options.config;
  if (url !== undefined || (migrates ?? mode !== 'production')) return failed(`Migrations will fail: ${problem}`);
  const text = 'Without MIGRATION_DATABASE_URL, admin migrate uses the role of DATABASE_URL and fails';
  return { level: 'warning', text: `${text}: ${problem}` };
}

/** Returns the reason why migrations fail, with the remedy; null if their role can migrate. */
async function findMigrationProblem(options: DatabaseCheckOptions): Promise<string | null> {
  const { database, migrationDatabase, schemas } = options;
  const [used, migrated] = [await database.readServer(), await migrationDatabase.readServer()];
  if (used.database !== migrated.database || used.clusterId !== migrated.clusterId) {
    const places = `${migrated.database} of MIGRATION_DATABASE_URL and ${used.database} of DATABASE_URL`;
    return `the databases ${places} are not the same database.`;
  }
  const unowned = await migrationDatabase.listUnownedObjects(schemas);
  if (unowned.length > 0) {
    const further = unowned.length > maxListedObjects ? ` and ${unowned.length - maxListedObjects} more` : '';
    const names = `${unowned.slice(0, maxListedObjects).join(', ')}${further}`;
    return `their role does not own ${names}. Set MIGRATION_DATABASE_URL to the owner.`;
  }
  const grants = await migrationDatabase.listMissingMigrationGrants(schemas);
  return grants.length === 0 ? null : `their role may create nothing. Run: ${grants.join('; ')}`;
}

async function checkExtensions({ database, extensions }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const missing = await database.listMissingExtensions(extensions);
  if (missing.length === 0) return ok(extensions.join(', '));
  const unavailable = missing.filter(({ isAvailable }) => !isAvailable).map(({ name }) => name);
  if (unavailable.length > 0) {
    return failed(`The server lacks ${unavailable.join(', ')}. Install the contrib modules of PostgreSQL.`);
  }
  return failed(`Run in the database: ${missing.map(({ name }) => `CREATE EXTENSION ${name}`).join('; ')}`);
}

async function checkCollations({ database }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const changed = await database.listChangedCollations();
  if (changed.length === 0) return ok('Indexes are sorted by the collation versions of the system.');
  return failed(changed.map(describeChangedCollation).join(' '));
}

function describeChangedCollation(collation: InspectedCollation): string {
  const { name, storedVersion, actualVersion, indexes, refreshStatement } = collation;
  return `The collation ${name} has changed from version ${storedVersion} to ${actualVersion}. Run REINDEX INDEX CONCURRENTLY for each of: ${indexes.join(', ')}. Then run: ${refreshStatement}`;
}

async function checkConnectionLimit({ database, config }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const { connectionLimit: limit } = await database.readServer();
  const processes = config.PROCESSES === 'auto' ? countAvailableCores() : config.PROCESSES;
  // A supervisor starts one further process when it replaces the others.
  const started = processes === 1 ? 1 : processes + 1;
  const needed = started * (config.DATABASE_POOL_SIZE + connectionsOutsidePool);
  const text = `With PROCESSES=${processes}, this configuration may need ${needed} connections, and the role may open ${limit}.`;
  return needed <= limit
    ? ok(text)
    : failed(`${text} Raise max_connections or the limit of the role, or lower DATABASE_POOL_SIZE or PROCESSES.`);
}

async function checkClock({ database }: DatabaseCheckOptions): Promise<InstallationCheckFinding> {
  const differenceMs = await database.readClockDifference();
  const sizeMs = Math.abs(differenceMs);
  if (sizeMs < clockWarningMs) return ok(`The clock of PostgreSQL differs by ${sizeMs} ms.`);
  const text = `The clock of PostgreSQL is ${sizeMs} ms ${differenceMs > 0 ? 'ahead of' : 'behind'} this machine. Synchronize both clocks.`;
  return { level: sizeMs < clockFailureMs ? 'warning' : 'failed', text };
}
