import { QueueUsageError } from './queue-usage-error.js';

/** Default name of the PostgreSQL schema with the tables of this package. */
export const DEFAULT_QUEUE_SCHEMA = 'queue';

const DATABASE_SCHEMA_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,62}$/;
const RESERVED_DATABASE_SCHEMA_NAME_PATTERN = /^(pg_.*|public|information_schema)$/;

/** Default schema of a package that has tables, and the name of that package in error messages. */
export interface PackageSchema {
  readonly subject: string;
  readonly defaultSchema: string;
}

const queuePackageDatabaseSchema: PackageSchema = { subject: 'queue', defaultSchema: DEFAULT_QUEUE_SCHEMA };

/**
 * Returns the SQL identifier of the schema with the tables of a package; the default is this package. The identifier is
 * quoted, so that SQL keywords are valid names too; the default name needs no quotes.
 *
 * @throws QueueUsageError for a name with characters other than `a` to `z`, digits and `_`, or more than 63 characters.
 *   Also if the schema contains other tables
 */
export function toSchemaIdentifier(name: string, { subject, defaultSchema } = queuePackageDatabaseSchema): string {
  if (!DATABASE_SCHEMA_NAME_PATTERN.test(name)) {
    throw new QueueUsageError(`Schema name ${JSON.stringify(name)} must match ${String(DATABASE_SCHEMA_NAME_PATTERN)}`);
  }
  if (RESERVED_DATABASE_SCHEMA_NAME_PATTERN.test(name)) {
    throw new QueueUsageError(`Schema ${name} cannot be used: the ${subject} tables need a separate schema`);
  }
  return name === defaultSchema ? name : `"${name}"`;
}

/**
 * Returns a function that returns the SQL statements of a module for a schema, given the SQL identifier of the schema.
 * The statements are created once per schema.
 */
export function createSqlCacheBySchema<T>(create: (schema: string) => T): (schema: string) => T {
  const created = new Map<string, T>();
  return (schema) => {
    const known = created.get(schema);
    if (known !== undefined) return known;
    const statements = create(schema);
    created.set(schema, statements);
    return statements;
  };
}
