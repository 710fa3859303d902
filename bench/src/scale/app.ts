import type pg from 'pg';
import type { CopyValue } from './copy-rows.js';
import type { Figure } from './figures.js';
import type { Operation } from './operation.js';
import type { ServerProcess } from '../process.js';
import type { RepeatedRequest } from './watch/watched-request.js';

export const sizeNames = ['small', 'middle', 'large'] as const;
export type SizeName = (typeof sizeNames)[number];

/**
 * Rows of one table. If `bulk` is set, as for tables of millions of rows, the table is truncated and its keys and
 * indexes are created after the rows.
 */
export interface TableFill {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bulk?: boolean;
  /** True to disable triggers and foreign key checks while rows are copied. */
  readonly withoutTriggers?: boolean;
  readonly rows: () => Iterable<readonly CopyValue[]>;
}

/** The generated data of an app for one size. */
export interface Filling {
  readonly tables: readonly TableFill[];
  /** Statements that complete the data after the tables are filled. Each runs once. */
  readonly completion: readonly string[];
}

/** The part of an app's definition that is needed to fill databases. */
export interface FillableApp {
  readonly name: 'chat' | 'inventory';
  /** Version of the generated rows. Incremented when they change, so that older databases are filled again. */
  readonly fillVersion: number;
  /** Arguments of administration commands that run on an empty database. */
  readonly preparation: readonly (readonly string[])[];
  fill(client: pg.Client, size: SizeName): Promise<Filling>;
  /** Statements that run on a copy of the filled database before the service starts. */
  readonly beforeStart: readonly string[];
}

/** Processes of the service under test, and their database. */
export interface Deployment {
  /** Origins of the processes. */
  readonly origins: readonly string[];
  readonly database: pg.Client;
  /** Starts another process with additional settings. The caller must stop it. */
  readonly startProcess: (settings: Readonly<Record<string, string>>) => Promise<ServerProcess>;
}

/** The operations of an app with the data and the requests that they need. */
export interface ScaleApp<World> extends FillableApp {
  /** Settings of the service in addition to addresses and secrets. */
  readonly env: Readonly<Record<string, string>>;
  open(deployment: Deployment, size: SizeName): Promise<World>;
  /** Request of an unrelated client, which repeats this write while an operation is measured. */
  bystander(world: World): RepeatedRequest;
  readonly operations: readonly Operation<World>[];
  readonly figures: readonly Figure[];
}
