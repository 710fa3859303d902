import type { PostgresPrograms } from './postgres-programs.js';

/** Proof that a key or a pepper is the one with which texts were sealed or digested. It does not reveal the key. */
export interface StoredKeyProof {
  /** Noun phrase for errors, such as `encryption key` or `pepper`. */
  readonly kind: string;
  readonly id: string;
  /** A constant text, sealed or digested with the key. */
  readonly proof: string;
}

/** Configured keys of a service, which makes proofs of them and checks proofs of a backup. */
export interface KeyProofs {
  /** Returns a proof of each configured key. */
  readonly prove: () => readonly StoredKeyProof[];
  /** Returns a phrase for each proof whose key is not configured or differs. */
  readonly findFaults: (proofs: readonly StoredKeyProof[]) => readonly string[];
}

/** Bucket of an S3-compatible store. */
export interface NamedBucket {
  readonly endpoint: string;
  readonly bucket: string;
}

/** Folder with the files of a service. A name at its top that begins with a dot is not a stored file. */
export interface FileFolder {
  readonly kind: 'folder';
  readonly folder: string;
  /** Returns true if a running write decides whether the file remains. */
  readonly isPending?: (key: string) => Promise<boolean>;
}

/** Bucket with the files of a service. */
export interface FileBucket extends NamedBucket {
  readonly kind: 'bucket';
  /** Lists the keys of all objects. */
  readonly list: () => AsyncIterable<string>;
  readonly exists: (key: string) => Promise<boolean>;
}

/** Files to which rows of a service refer. */
export interface StoredFiles {
  /**
   * SQL query for all files of the database, with the columns `key` (text) and `is_required` (boolean). A file that is
   * not required may be absent: it can be created again, or its removal has begun.
   */
  readonly keysSql: string;
  readonly store: FileFolder | FileBucket;
}

/** Migrations of a service in its configured database. */
export interface BackedUpSchema {
  /** Applies all migrations of this release. */
  readonly runCommand: (options: {
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
  /** Oldest supported major version of PostgreSQL. */
  readonly minimumServerVersion: number;
  readonly files: StoredFiles;
  readonly keys: KeyProofs;
  readonly programs: PostgresPrograms;
  readonly schema: BackedUpSchema;
}
