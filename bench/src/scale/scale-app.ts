import type pg from 'pg';
import type { CopiedColumnValue } from './copy-rows.js';
import type { OperationMeasurementLimit } from './measured-figures.js';
import type { MeasuredOperation } from './measured-operation.js';
import type { ServerProcess } from '../server-process.js';
import type { RepeatedRequest } from './watch/watched-request.js';

export const databaseSizeNames = ['small', 'middle', 'large'] as const;
export type DatabaseSizeName = (typeof databaseSizeNames)[number];

/**
 * Generated rows of one table. `bulk` is set for tables of millions of rows. Such a table is truncated, then filled
 * with rows, and its keys and indexes are created last.
 */
export interface GeneratedTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bulk?: boolean;
  /** True to disable triggers and foreign key checks while the rows of the table are copied. */
  readonly withoutTriggers?: boolean;
  readonly rows: () => Iterable<readonly CopiedColumnValue[]>;
}

/** Generated database content of a service for one size. */
export interface GeneratedDatabaseContent {
  readonly tables: readonly GeneratedTable[];
  /** Statements that complete the data after the tables are filled. Each statement runs once. */
  readonly completion: readonly string[];
}

/** Parts of a measured service's definition that are needed to fill the service's database. */
export interface ServiceWithGeneratedDatabase {
  readonly name: 'chat' | 'inventory';
  /**
   * Version of the generated rows. The version increases when the generated rows change, so that older databases are
   * filled again.
   */
  readonly fillVersion: number;
  /** Admin commands that run on an empty database before it is filled, each as a list of arguments. */
  readonly preparation: readonly (readonly string[])[];
  fill(client: pg.Client, size: DatabaseSizeName): Promise<GeneratedDatabaseContent>;
  /** SQL statements that run on a copy of the filled database before the service starts. */
  readonly beforeStart: readonly string[];
}

/** Running processes of the measured service, and their database. */
export interface MeasuredDeployment {
  /** Origins (scheme, host, port) of the measured service's processes. */
  readonly origins: readonly string[];
  readonly database: pg.Client;
  /** Starts another process of the measured service with additional environment variables. The caller must stop it. */
  readonly startProcess: (settings: Readonly<Record<string, string>>) => Promise<ServerProcess>;
}

/**
 * Definition of a measured service: its generated data, operations, and the object that sends the requests of the
 * operations.
 */
export interface ScaleTestedService<World> extends ServiceWithGeneratedDatabase {
  /** Environment variables of the service in addition to server addresses and secrets. */
  readonly env: Readonly<Record<string, string>>;
  open(deployment: MeasuredDeployment, size: DatabaseSizeName): Promise<World>;
  /**
   * Returns the write that a background client repeats while an operation is measured. The operations do not use the
   * data that the write changes.
   */
  bystander(world: World): RepeatedRequest;
  readonly operations: readonly MeasuredOperation<World>[];
  readonly figures: readonly OperationMeasurementLimit[];
}
