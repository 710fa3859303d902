import type { FieldDatabaseColumn } from '../declaration/field.js';
import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import { quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';

/** A field of a model, with the database column that stores the field. */
export interface FieldWithColumn {
  readonly name: string;
  readonly column: FieldDatabaseColumn;
}

const storedFieldsByModel = new WeakMap<ModelDefinition, readonly FieldWithColumn[]>();
const storedFieldNamesByModel = new WeakMap<ModelDefinition, ReadonlySet<string>>();
const writtenColumnsByModel = new WeakMap<ModelDefinition, readonly FieldDatabaseColumn[]>();

/** Returns the fields of a model that have a database column, in the order of the response. */
export function listFieldsWithColumn(model: ModelDefinition): readonly FieldWithColumn[] {
  const known = storedFieldsByModel.get(model);
  if (known !== undefined) return known;
  const fields = Object.entries(model.fields).flatMap(([name, field]) => {
    const column = field.column(name);
    return column === null ? [] : [{ name, column }];
  });
  storedFieldsByModel.set(model, fields);
  return fields;
}

/** Returns the names of a model's fields that have a database column. */
export function listStoredFieldNames(model: ModelDefinition): ReadonlySet<string> {
  const known = storedFieldNamesByModel.get(model);
  if (known !== undefined) return known;
  const found = new Set(listFieldsWithColumn(model).map(({ name }) => name));
  storedFieldNamesByModel.set(model, found);
  return found;
}

/** Returns the names of a model's fields that count how many other objects refer to an object. */
export function listCountFieldNames(model: ModelDefinition): string[] {
  return Object.entries(model.fields).flatMap(([name, field]) => (field.kind === 'count' ? [name] : []));
}

/**
 * Returns the columns that a write sets: the columns of writable fields and the hidden columns. The database sets all
 * other columns.
 */
export function listWrittenColumns(
  model: ModelDefinition,
  absent: (type: string) => boolean,
): readonly FieldDatabaseColumn[] {
  const known = writtenColumnsByModel.get(model);
  if (known !== undefined) return known;
  const ofFields = listFieldsWithColumn(model).flatMap(({ name, column }) => {
    const field = model.fields[name];
    const [target] = field?.relation?.kind === 'ref' ? field.relation.targets : [];
    return field?.traits.readOnly === true || (target !== undefined && absent(target)) ? [] : [column];
  });
  const hidden = Object.entries(model.hiddenColumns).map(([name, type]) => ({ name, type }));
  const columns = [...ofFields, ...hidden];
  writtenColumnsByModel.set(model, columns);
  return columns;
}

/**
 * Returns the SQL record type of the rows of a write, such as `r("a" bigint, "b" text)`. One JSON parameter contains
 * all rows.
 */
export function createSqlRecordType(columns: readonly FieldDatabaseColumn[], withId: boolean): SqlText {
  const all = withId ? [{ name: 'id', type: 'bigint' }, ...columns] : columns;
  return `r(${all.map(({ name, type }) => `${quoteSqlIdentifier(name)} ${type}`).join(', ')})`;
}

/** Converts a row of a model, with values by column name, to the values by field name. */
export function toRowFieldValues(
  model: ModelDefinition,
  columns: Readonly<Record<string, unknown>>,
): ObjectValuesToStore {
  return Object.fromEntries(listFieldsWithColumn(model).map(({ name, column }) => [name, columns[column.name]]));
}

/** Converts a row of a model, with values by field name, to the values by column name. */
export function toRowColumnValues(model: ModelDefinition, row: ObjectValuesToStore): Record<string, unknown> {
  return Object.fromEntries(listFieldsWithColumn(model).map(({ name, column }) => [column.name, row[name]]));
}

/**
 * Returns true if a value of a hidden column or write-only field differs between a stored row and the columns to store.
 * No response contains these values.
 */
export function doHiddenColumnsDiffer(
  model: ModelDefinition,
  before: ObjectValuesToStore,
  after: ObjectValuesToStore,
): boolean {
  const writeOnly = listFieldsWithColumn(model).filter(({ name }) => model.fields[name]?.traits.writeOnly === true);
  return (
    Object.keys(model.hiddenColumns).some((name) => before[name] !== after[name]) ||
    writeOnly.some(({ column: { name } }) => Object.hasOwn(after, name) && before[name] !== after[name])
  );
}
