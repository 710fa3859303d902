import { QueueUsageError } from './queue-usage-error.js';

/** Name of the schema that the tables of this package have by default. */
export const DEFAULT_QUEUE_SCHEMA = 'queue';

const SCHEMA_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,62}$/;
const RESERVED_SCHEMA_NAME_PATTERN = /^(pg_.*|public|information_schema)$/;

/** Default schema of a package with tables, and the name of this package in error messages. */
export interface PackageSchema {
  readonly subject: string;
  readonly defaultSchema: string;
}

const queuePackageSchema: PackageSchema = { subject: 'queue', defaultSchema: DEFAULT_QUEUE_SCHEMA };

/**
 * Returns the SQL identifier of the schema with the tables of a package, by default of this one. Quoted, so that keywords
 * are names too; the default name needs no quotes.
 *
 * @throws QueueUsageError for a name with other characters than `a` to `z`, digits and `_`, longer than 63 characters,
 *   or of a schema with other tables
 */
export function toSchemaIdentifier(name: string, { subject, defaultSchema } = queuePackageSchema): string {
  if (!SCHEMA_NAME_PATTERN.test(name)) {
    throw new QueueUsageError(`Schema name ${JSON.stringify(name)} must match ${String(SCHEMA_NAME_PATTERN)}`);
  }
  if (RESERVED_SCHEMA_NAME_PATTERN.test(name)) {
    throw new QueueUsageError(`Schema ${name} cannot be used: the ${subject} tables need a separate schema`);
  }
  return name === defaultSchema ? name : `"${name}"`;
}

/**
 * Returns a function that creates the SQL statements of a module for a schema, given as its SQL identifier. They are
 * created once per schema.
 */
export function createOncePerSchema<T>(create: (schema: string) => T): (schema: string) => T {
  const created = new Map<string, T>();
  return (schema) => {
    const known = created.get(schema);
    if (known !== undefined) return known;
    const statements = create(schema);
    created.set(schema, statements);
    return statements;
  };
}
