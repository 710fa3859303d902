import type { PostgresProgramPaths } from './postgres-programs.js';

/** Proof that a key or a pepper is the one with which texts were encrypted or digested. It does not reveal the key. */
export interface StoredKeyProof {
  /** `key` or `pepper`. */
  readonly kind: string;
  readonly id: string;
  /** A constant text, encrypted or digested with the key. */
  readonly proof: string;
}

/** Reads rows. A client of `pg` implements it. */
export interface RowReader {
  query<R>(sql: string, values?: unknown[]): Promise<{ readonly rows: R[] }>;
}

/** Keys that a database was used with, and their comparison with the configured keys. */
export interface KeyProofComparison {
  /** Returns the proofs in a database. */
  readonly read: (database: RowReader) => Promise<readonly StoredKeyProof[]>;
  /** Throws an error for the operator if the key of a proof is not configured, or differs. */
  readonly verify: (proofs: readonly StoredKeyProof[]) => void;
}

/** Bucket of an S3-compatible store. */
export interface S3BucketWithName {
  readonly endpoint: string;
  readonly bucket: string;
}

/** Folder with the files of a service. A name at its top that begins with a dot is not a stored file. */
export interface ServiceFileFolder {
  readonly kind: 'folder';
  readonly folder: string;
  /** Returns true if a running write decides whether the file remains. */
  readonly isPending?: (key: string) => Promise<boolean>;
}

/** Bucket with the files of a service. */
export interface ServiceFileBucket extends S3BucketWithName {
  readonly kind: 'bucket';
  /** Lists the keys of all objects. */
  readonly list: () => AsyncIterable<string>;
  readonly exists: (key: string) => Promise<boolean>;
}

/** Files to which rows of a service refer. */
export interface ServiceFiles {
  /**
   * SQL query for all files of the database, with the columns `key` (text) and `is_required` (boolean). A file that is
   * not required may be absent: it can be created again, or its removal has begun.
   */
  readonly keysSql: string;
  readonly store: ServiceFileFolder | ServiceFileBucket;
}

/** Migrations of a service in its configured database. */
export interface ServiceMigrations {
  /** Applies all migrations of this release. */
  readonly runMigrateCommand: (options: {
    readonly isStatus: false;
    readonly isJson: false;
    readonly print: (line: string) => void;
  }) => Promise<number>;
  /** Rejects with an error for the operator if migrations are pending. */
  readonly requireMigrations: () => Promise<void>;
}

/** A service whose database and files are backed up and restored. */
export interface BackedUpService {
  /** Name of the service, such as `chat`. */
  readonly product: string;
  /** Version of the running release, such as `1.2.0`. */
  readonly release: string;
  /** URL of the database, with a role that may read all tables. A restore also needs the right to create objects. */
  readonly url: string;
  /** Schemas that contain tables of the service. */
  readonly schemas: readonly string[];
  /** Statement that runs in the transaction of a restore, after all rows are restored. */
  readonly restoredSql?: string;
  /** Oldest supported major version of PostgreSQL. */
  readonly minimumServerVersion: number;
  readonly files: ServiceFiles;
  readonly keys: KeyProofComparison;
  readonly programs: PostgresProgramPaths;
  readonly schema: ServiceMigrations;
  /** Returns the names of the service's own migrations in this release, in order. */
  readonly listMigrations: () => Promise<readonly string[]>;
}
