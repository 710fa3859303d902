import type pg from 'pg';
import type { CopyValue } from './copy-rows.js';
import type { FigureLimit } from './measured-figures.js';
import type { MeasuredOperation } from './measured-operation.js';
import type { ServerProcess } from '../server-process.js';
import type { RepeatedRequest } from './watch/watched-request.js';

export const sizeNames = ['small', 'middle', 'large'] as const;
export type SizeName = (typeof sizeNames)[number];

/**
 * Generated rows of one table. If `bulk` is set, as for tables of millions of rows, the table is truncated and its keys
 * and indexes are created after the rows.
 */
export interface TableFill {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bulk?: boolean;
  /** True to disable triggers and foreign key checks while rows are copied. */
  readonly withoutTriggers?: boolean;
  readonly rows: () => Iterable<readonly CopyValue[]>;
}

/** Generated database content of a service for one size. */
export interface GeneratedData {
  readonly tables: readonly TableFill[];
  /** Statements that complete the data after the tables are filled. Each runs once. */
  readonly completion: readonly string[];
}

/** Parts of a service's definition that are needed to fill its databases. */
export interface FillableApp {
  readonly name: 'chat' | 'inventory';
  /** Version of the generated rows. Incremented when they change, so that older databases are filled again. */
  readonly fillVersion: number;
  /** Arguments of administration commands that run on an empty database. */
  readonly preparation: readonly (readonly string[])[];
  fill(client: pg.Client, size: SizeName): Promise<GeneratedData>;
  /** Statements that run on a copy of the filled database before the service starts. */
  readonly beforeStart: readonly string[];
}

/** Running processes of the measured service, and their database. */
export interface MeasuredDeployment {
  /** Origins (scheme, host, port) of the service's processes. */
  readonly origins: readonly string[];
  readonly database: pg.Client;
  /** Starts another process of the service with additional environment variables. The caller must stop it. */
  readonly startProcess: (settings: Readonly<Record<string, string>>) => Promise<ServerProcess>;
}

/** Definition of a measured service: its generated data, its operations, and the object that sends their requests. */
export interface ScaleApp<World> extends FillableApp {
  /** Environment variables of the service in addition to addresses and secrets. */
  readonly env: Readonly<Record<string, string>>;
  open(deployment: MeasuredDeployment, size: SizeName): Promise<World>;
  /**
   * Returns the write that the bystander client repeats while an operation is measured. The operations do not use its
   * data.
   */
  bystander(world: World): RepeatedRequest;
  readonly operations: readonly MeasuredOperation<World>[];
  readonly figures: readonly FigureLimit[];
}
