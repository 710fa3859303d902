import type pg from 'pg';

/**
 * A constraint or an index that is created after the rows are copied. `at` is the position in the order of creation:
 * first keys, then indexes, then foreign keys.
 */
export interface DeferredIndexOrConstraint {
  readonly name: string;
  readonly statement: string;
  readonly at: number;
}

const selectIndexesAndConstraintsSql = `
  SELECT c.conname AS name,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) AS statement,
    format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) AS removal, c.contype
  FROM pg_constraint c
  WHERE c.contype IN ('p', 'u') AND c.conrelid = ANY($1::regclass[])
     OR c.contype = 'f' AND (c.conrelid = ANY($1::regclass[]) OR c.confrelid = ANY($1::regclass[]))
  UNION ALL
  SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid),
    format('DROP INDEX %s', i.indexrelid::regclass), 'i'
  FROM pg_index i
  WHERE i.indrelid = ANY($1::regclass[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))`;

interface IndexOrConstraintRow {
  readonly name: string;
  readonly statement: string;
  readonly removal: string;
  readonly contype: string;
}

const creationOrderByDefinitionType: Readonly<Record<string, number>> = { p: 0, u: 0, i: 1, f: 2 };

/**
 * Drops the keys and indexes of tables, and every foreign key from or to them, so that COPY writes only rows.
 *
 * @returns the dropped definitions, which are created again after the rows are copied
 */
export async function dropIndexesAndConstraints(
  client: pg.Client,
  tables: readonly string[],
): Promise<DeferredIndexOrConstraint[]> {
  const { rows } = await client.query<IndexOrConstraintRow>(selectIndexesAndConstraintsSql, [tables]);
  const sorted = rows
    .map(({ name, statement, removal, contype }) => ({
      name,
      statement,
      removal,
      at: creationOrderByDefinitionType[contype] ?? 0,
    }))
    .sort((a, b) => a.at - b.at || a.name.localeCompare(b.name));
  for (const { removal } of sorted.toReversed()) await client.query(removal);
  return sorted.map(({ name, statement, at }) => ({ name, statement, at }));
}
