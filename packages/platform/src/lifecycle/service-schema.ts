import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { systemClock, type Clock } from '../clock.js';
import type { Logger } from '../logging/logger.js';
import { releaseVersions } from '../release-versions.js';
import { getAdminCommandLine } from './admin-command-line.js';
import {
  describeSchemaState,
  describeUnknownMigrations,
  MissingDatabaseError,
  PendingMigrationsError,
  requireUsableSchema,
  getSchemaExitCode,
  formatSchemaStateAsJson,
  type ServiceMigrationState,
} from './service-migration-state.js';
import { ServerUnreachableError, waitUntilReachable } from './wait-until-reachable.js';

/** Environment variables that {@link ServiceSchema} uses, in the form that `createServiceEnvironmentSchema` returns. */
export interface ServiceSchemaConfig {
  readonly NODE_ENV: string;
  readonly DATABASE_URL: string;
  readonly MIGRATION_DATABASE_URL?: string | undefined;
  readonly MIGRATE_AT_BOOT?: boolean | undefined;
  readonly MIGRATION_LOCK_TIMEOUT_MS: number;
  readonly BOOT_WAIT_MS: number;
}

/** Options with which {@link ServiceSchema} applies migrations. */
export interface ServiceMigrateOptions {
  /** Maximum time to wait for another process that applies migrations, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** True if a missing database is created; false if it is an error, which is the case at a start in production. */
  readonly createsDatabase: boolean;
}

/** A service with its functions for migrations. The functions accept the URL of a database that may not exist. */
export interface ServiceWithMigrations {
  /** Name of the service, in the form that `npm run admin` accepts. */
  readonly name: string;
  /** Applies all migrations of this release. Calls `log` with a line of text for each step. */
  readonly migrate: (url: string, log: (line: string) => void, options: ServiceMigrateOptions) => Promise<void>;
  /** Returns the migration states of the database with the given URL, and changes nothing. */
  readonly readState: (url: string) => Promise<ServiceMigrationState>;
}

/** Options of {@link ServiceSchema.runMigrateCommand}. */
export interface MigrateCommandOptions {
  /** True if the option `--status` is given: the command then prints the migration state and changes nothing. */
  readonly isStatus: boolean;
  /** True if the option `--json` is given: the command then prints the status as JSON. */
  readonly isJson: boolean;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
}

/**
 * Migrations of a service in its configured database. Applies the migrations, or waits until another process has
 * applied them.
 */
export class ServiceSchema {
  constructor(
    private readonly service: ServiceWithMigrations,
    private readonly config: ServiceSchemaConfig,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Prepares the database for a process of the service. Applies all migrations if `MIGRATE_AT_BOOT` is true, which is
   * the default except in production. Otherwise waits until the migrations are applied, at most for `BOOT_WAIT_MS`, and
   * logs pending migrations immediately and every 10 s. In production, a missing database is never created. Logs the
   * applied migrations of later releases.
   *
   * @throws PendingMigrationsError or MissingDatabaseError after `BOOT_WAIT_MS`
   * @throws ServerUnreachableError when the database has become unavailable
   * @throws Error that waiting cannot fix, such as a failed migration
   */
  async prepareDatabase(logger: Pick<Logger, 'info'>): Promise<void> {
    const { MIGRATE_AT_BOOT: migrates, NODE_ENV: mode } = this.config;
    const createsDatabase = mode !== 'production';
    const migratesNow = migrates ?? createsDatabase;
    if (migratesNow) await this.#migrate((line) => logger.info(line), createsDatabase);
    else await this.#wait(logger);
    const url = migratesNow ? this.#migrationUrl : this.config.DATABASE_URL;
    const unknown = describeUnknownMigrations(await this.service.readState(url));
    if (unknown !== null) logger.info(unknown);
  }

  /**
   * Checks that all migrations of this release are applied to the database. Used by admin commands, which never apply
   * migrations themselves.
   *
   * @throws PendingMigrationsError, MissingDatabaseError, or Error of a set of migrations with a problem
   */
  async requireMigrations(): Promise<void> {
    const url = this.config.DATABASE_URL;
    // The class URL refuses URLs of Unix sockets, which have no host.
    const database = decodeURIComponent(/^\w+:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? '');
    requireUsableSchema(await this.service.readState(url), { database, migrate: this.#commandLine });
  }

  /**
   * Runs the admin command `migrate`, or `migrate --status`.
   *
   * @returns the exit code: 0 for an up-to-date database; with `--status` 3 for pending migrations and 1 for a problem
   * @throws Error of the migrations
   */
  async runMigrateCommand({ isStatus, isJson, print }: MigrateCommandOptions): Promise<number> {
    if (!isStatus) {
      await this.#migrate(print, true);
      print(`The database is up to date with release ${releaseVersions.version}.`);
      return 0;
    }
    const state = await this.service.readState(this.#migrationUrl);
    print(isJson ? formatSchemaStateAsJson(state, releaseVersions.version) : describeSchemaState(state));
    return getSchemaExitCode(state);
  }

  get #migrationUrl(): string {
    return this.config.MIGRATION_DATABASE_URL ?? this.config.DATABASE_URL;
  }

  get #commandLine(): string {
    return `${getAdminCommandLine(this.service.name)} migrate`;
  }

  async #migrate(log: (line: string) => void, createsDatabase: boolean): Promise<void> {
    const options = { lockTimeoutMs: this.config.MIGRATION_LOCK_TIMEOUT_MS, createsDatabase };
    await this.service.migrate(this.#migrationUrl, log, options);
  }

  async #wait(logger: Pick<Logger, 'info'>): Promise<void> {
    const schema = {
      name: 'the migrations of this release',
      variable: 'DATABASE_URL',
      connect: () => this.requireMigrations(),
      isTemporary: (error: unknown) =>
        isSolvedByMigrateCommand(error) || convertErrorToDatabaseFault(error)?.kind === 'unavailable',
    };
    try {
      await waitUntilReachable(schema, { timeoutMs: this.config.BOOT_WAIT_MS, logger, clock: this.clock });
    } catch (error) {
      if (error instanceof ServerUnreachableError && isSolvedByMigrateCommand(error.cause)) throw error.cause;
      throw error;
    }
  }
}

/**
 * Returns true if the error may disappear because `admin migrate` is preparing the database: the database does not
 * exist yet, or migrations are pending.
 */
function isSolvedByMigrateCommand(error: unknown): boolean {
  return error instanceof PendingMigrationsError || error instanceof MissingDatabaseError;
}
