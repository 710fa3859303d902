import type pg from 'pg';
import type { CopyValue } from './copy-rows.js';
import type { Figure } from './figures.js';
import type { Operation } from './operation.js';
import type { ServerProcess } from '../process.js';
import type { RepeatedRequest } from './watch/watched-request.js';

export const sizeNames = ['small', 'middle', 'large'] as const;
export type SizeName = (typeof sizeNames)[number];

/** Rows of one table. A table of millions is `bulk`: emptied, and without keys and indexes while it is filled. */
export interface TableFill {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bulk?: boolean;
  /** True if triggers and checks of foreign keys are off while rows are copied. */
  readonly withoutTriggers?: boolean;
  readonly rows: () => Iterable<readonly CopyValue[]>;
}

/** The data of one size of an app. */
export interface Filling {
  readonly tables: readonly TableFill[];
  /** Statements that complete the data once the tables are filled. Each is run once. */
  readonly completion: readonly string[];
}

/** The part of an app that fills its databases. */
export interface FillableApp {
  readonly name: 'chat' | 'inventory';
  /** Changes whenever the rows of the fill change, so that older databases are filled again. */
  readonly fillVersion: number;
  /** Administration commands for an empty database. */
  readonly preparation: readonly (readonly string[])[];
  fill(client: pg.Client, size: SizeName): Promise<Filling>;
  /** Statements for a copy of the filled database before the service starts. */
  readonly beforeStart: readonly string[];
}

/** Processes of the service under test, and their database. */
export interface Deployment {
  /** One origin for each process. */
  readonly origins: readonly string[];
  readonly database: pg.Client;
  /** Starts a further process with settings of its own. The caller stops it. */
  readonly startProcess: (settings: Readonly<Record<string, string>>) => Promise<ServerProcess>;
}

/** The operations of an app with the data and the requests that they need. */
export interface ScaleApp<World> extends FillableApp {
  /** Settings of the service beyond addresses and secrets. */
  readonly env: Readonly<Record<string, string>>;
  open(deployment: Deployment, size: SizeName): Promise<World>;
  /** The write repeated by a client that is not involved in the operation. */
  bystander(world: World): RepeatedRequest;
  readonly operations: readonly Operation<World>[];
  readonly figures: readonly Figure[];
}
