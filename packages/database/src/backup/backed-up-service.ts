import type { PostgresProgramPaths } from './postgres-programs.js';

/**
 * Proof of which key or pepper a database was used with to encrypt or digest texts. The proof does not reveal the key
 * or pepper.
 */
export interface BackedUpEncryptionKeyProof {
  /** Kind of the proven secret: `key` for an encryption key, or `pepper`. */
  readonly kind: string;
  readonly id: string;
  /** A constant text, encrypted with the key or digested with the pepper. */
  readonly proof: string;
}

/** Client that reads database rows by SQL. A client of `pg` implements this interface. */
export interface DatabaseRowReader {
  query<R>(sql: string, values?: unknown[]): Promise<{ readonly rows: R[] }>;
}

/**
 * Functions that read the proofs of the keys that a database was used with, and compare these proofs with the
 * configured keys.
 */
export interface EncryptionKeyVerification {
  /** Returns the proofs of the keys and peppers that a database was used with. */
  readonly read: (database: DatabaseRowReader) => Promise<readonly BackedUpEncryptionKeyProof[]>;
  /**
   * Throws an error for the operator if a key of the proofs is not configured, or if the configured key with this id
   * differs.
   */
  readonly verify: (proofs: readonly BackedUpEncryptionKeyProof[]) => void;
}

/** Name and endpoint of a bucket in an S3-compatible store. */
export interface S3BucketWithName {
  readonly endpoint: string;
  readonly bucket: string;
}

/**
 * Folder that contains the stored files of a service. A direct entry of the folder whose name begins with a dot is not
 * a stored file.
 */
export interface ServiceFileFolder {
  readonly kind: 'folder';
  readonly folder: string;
  /** Returns true if a running write will decide whether the file with the given key is retained. */
  readonly isPending?: (key: string) => Promise<boolean>;
}

/** S3 bucket that contains the stored files of a service. */
export interface ServiceFileBucket extends S3BucketWithName {
  readonly kind: 'bucket';
  /** Yields the keys of all objects in the bucket. */
  readonly list: () => AsyncIterable<string>;
  readonly exists: (key: string) => Promise<boolean>;
  /** Returns true if a running write will decide whether the file with the given key is retained. */
  readonly isPending?: (key: string) => Promise<boolean>;
}

/** Stored files to which database rows of a service refer. */
export interface ServiceFiles {
  /**
   * SQL query for all files to which database rows refer, with the columns `key` (text) and `is_required` (boolean). A
   * file that is not required may be absent: the service can create the file again, or has begun to remove it.
   */
  readonly keysSql: string;
  readonly store: ServiceFileFolder | ServiceFileBucket;
}

/** Commands that apply or check the migrations of a service in its configured database. */
export interface ServiceMigrationCommands {
  /** Applies all migrations of this release to the database. */
  readonly runMigrateCommand: (options: {
    readonly isStatus: false;
    readonly isJson: false;
    readonly print: (line: string) => void;
  }) => Promise<number>;
  /** Returns a promise that is rejected with an error for the operator if migrations are pending. */
  readonly requireMigrations: () => Promise<void>;
}

/** A service whose database and files are backed up and restored. */
export interface BackedUpService {
  /** Name of the backed-up service, such as `chat`. */
  readonly product: string;
  /** Version of the running release, such as `1.2.0`. */
  readonly release: string;
  /**
   * URL of the service's database, with a role that may read all tables. A restore also needs the right to create
   * objects.
   */
  readonly url: string;
  /** Names of the database schemas that contain tables of the service. */
  readonly schemas: readonly string[];
  /**
   * SQL statement that runs at the end of a restore's transaction, after all rows are restored; undefined for no
   * statement.
   */
  readonly restoredSql?: string;
  /** Oldest major version of the PostgreSQL server that the service supports. */
  readonly minimumServerVersion: number;
  readonly files: ServiceFiles;
  readonly keys: EncryptionKeyVerification;
  readonly programs: PostgresProgramPaths;
  readonly schema: ServiceMigrationCommands;
  /** Returns the names of the service's own migrations in this release, in the order in which they are applied. */
  readonly listMigrations: () => Promise<readonly string[]>;
}
