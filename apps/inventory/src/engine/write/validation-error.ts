import type { Tx } from '@switchboard/database';
import { type DatabaseFault, convertErrorToDatabaseFault } from '@switchboard/errors';
import { inventoryErrors } from '../../errors.js';
import type { ModelConstraint, ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';
import { createSqlRecordType, listFieldsWithColumn, listWrittenColumns } from './stored-columns-of-models.js';
import type { FieldErrorMessages } from './invalid-input-problem.js';
import { createMissingObjectMessage } from './resolve-related.js';

/** Values of a row that a write will store, by column name. */
export type CandidateRowValues = Readonly<Record<string, unknown>>;

/**
 * Form of the error response to a rejected write (docs/contract/inventory.md 1.5, 1.11). A write of one object gets
 * messages by field. A creation of a list gets a list of the same length, with `{}` for each valid object. A change of
 * a list gets the messages of the first invalid object.
 */
export type ValidationErrorForm =
  | { readonly kind: 'one' | 'changed list' }
  | { readonly kind: 'created list'; readonly length: number };

/** An invalid object of a write, with the error messages for its fields. */
export interface InvalidObject {
  /** Position of the invalid object in the request, starting from 0. */
  readonly index: number;
  readonly problems: Readonly<Record<string, FieldErrorMessages>>;
}

const explainedDatabaseErrorKinds = new Set(['unique', 'foreign_key', 'check', 'exclusion', 'not_null']);

/**
 * Converts a database error about written rows to a response that names all conflicts. Writes rely on constraints, so
 * that two concurrent requests cannot both pass a check. Only a rejected write runs another statement on its rows to
 * find the cause.
 *
 * @returns an ApplicationError, or the given error if the error is not a rejection of the rows
 */
export async function explainConstraintViolation(
  database: Tx,
  error: unknown,
  write: {
    model: ModelDefinition;
    registry: ModelRegistry;
    rows: readonly CandidateRowValues[];
    shape: ValidationErrorForm;
    /** Returns the position, in the write, of the row that a trigger or a check constraint rejected. */
    locate: () => Promise<number>;
  },
): Promise<unknown> {
  const fault = convertErrorToDatabaseFault(error);
  if (fault === null || !explainedDatabaseErrorKinds.has(fault.kind) || write.rows.length === 0) return error;
  const problems =
    fault.kind === 'check' ? [] : await findConstraintConflicts(database, write.model, write.registry, write.rows);
  const own = problems.length > 0 ? problems : listConstraintErrorMessages(write.model, fault, write.rows);
  if (own.length === 0) return error;
  const isOfOneRow = write.model.constraints.some(({ name, fields }) => name === fault.constraint && !fields);
  if (problems.length === 0 && isOfOneRow && write.rows.length > 1) {
    const index = await write.locate();
    return createConstraintConflictError(
      own.map((clash) => ({ ...clash, index })),
      write.shape,
      error,
    );
  }
  return createConstraintConflictError(own, write.shape, error);
}

/** A conflict of one written row with a database constraint. */
interface ConstraintConflict {
  readonly index: number;
  readonly key: string;
  readonly message: string;
}

async function findConstraintConflicts(
  database: Tx,
  model: ModelDefinition,
  registry: ModelRegistry,
  rows: readonly CandidateRowValues[],
): Promise<ConstraintConflict[]> {
  const columns = listWrittenColumns(model, (type) => registry.find(type) === null);
  const branches = [...createUniqueConflictQueries(model), ...createReferenceConflictQueries(model, registry)];
  if (branches.length === 0) return [];
  const record = createSqlRecordType([{ name: 'index', type: 'int' }, ...columns], true);
  const { rows: found } = await database.query<{ index: number; branch: number; value: number | null }>(
    `WITH given AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS ${record})
      ${branches.map(({ sql }, branch) => `SELECT g.index, ${branch} AS branch, ${sql}`).join(' UNION ALL ')} ORDER BY 1, 2`,
    [JSON.stringify(rows.map((row, index) => ({ ...row, index })))],
  );
  return found.flatMap(({ index, branch, value }) => {
    const rule = branches[branch];
    return rule === undefined ? [] : [{ index, key: rule.key, message: rule.message(value) }];
  });
}

interface ConstraintConflictQuery {
  /** SQL that selects the conflicting values, in the form `<value> AS value FROM given g WHERE …`. */
  readonly sql: SqlText;
  readonly key: string;
  message(value: number | null): string;
}

function createUniqueConflictQueries(model: ModelDefinition): ConstraintConflictQuery[] {
  return model.constraints.flatMap((constraint) => {
    if (constraint.fields === undefined) return [];
    const columns = listColumnsOfFields(model, constraint.fields);
    const same = columns.map((name) => `x.${name} = g.${name}`).join(' AND ');
    const [without] = constraint.whereNull === undefined ? [] : listColumnsOfFields(model, [constraint.whereNull]);
    const part = without === undefined ? '' : ` AND g.${without} IS NULL AND x.${without} IS NULL`;
    return {
      sql: `NULL::bigint AS value FROM given g WHERE EXISTS (SELECT FROM ${model.table} x WHERE ${same}${part} AND x.id IS DISTINCT FROM g.id)`,
      key: getConstraintErrorKey(constraint),
      message: () => createUniqueViolationMessage(model, constraint),
    };
  });
}

function createReferenceConflictQueries(model: ModelDefinition, registry: ModelRegistry): ConstraintConflictQuery[] {
  return listFieldsWithColumn(model).flatMap(({ name, column }) => {
    const { relation, traits } = model.fields[name] ?? {};
    // Read-only fields are not part of the written rows.
    const [type] = relation?.kind === 'ref' && traits?.readOnly !== true ? relation.targets : [];
    const target = type === undefined ? null : registry.find(type);
    if (target === null) return [];
    const own = `g.${quoteSqlIdentifier(column.name)}`;
    return {
      sql: `${own} AS value FROM given g WHERE ${own} IS NOT NULL AND NOT EXISTS (SELECT FROM ${target.table} x WHERE x.id = ${own})`,
      key: name,
      message: (value) => createMissingObjectMessage(value ?? 0, relation),
    };
  });
}

function listColumnsOfFields(model: ModelDefinition, names: readonly string[]): SqlText[] {
  return names.flatMap((name) => {
    const column = model.fields[name]?.column(name);
    return column === null || column === undefined ? [] : [quoteSqlIdentifier(column.name)];
  });
}

/**
 * Returns the error messages for a violated database constraint. Derives the messages from the name of the constraint
 * and the detail of the database error. Used for rules that only the database checks, and for conflicts within one
 * request.
 */
function listConstraintErrorMessages(
  model: ModelDefinition,
  fault: DatabaseFault,
  rows: readonly CandidateRowValues[],
): ConstraintConflict[] {
  const constraint = model.constraints.find(({ name }) => name === fault.constraint);
  if (constraint === undefined) {
    // The object existed when it was looked up, and was deleted before the row was written.
    const message = 'A related object was deleted meanwhile.';
    return fault.kind === 'foreign_key' ? [{ index: 0, key: '__all__', message }] : [];
  }
  const columns = listColumnsOfFields(model, constraint.fields ?? []).map((name) => name.slice(1, -1));
  const seen = new Set<string>();
  // Two conflicting rows of one request are not in the table. The error belongs to the later one.
  const index = rows.findIndex((row) => {
    const value = JSON.stringify(columns.map((name) => row[name]));
    return columns.length > 0 && seen.size === seen.add(value).size;
  });
  const { detail } = fault;
  const described = detail === undefined ? undefined : constraint.describe?.(detail);
  const message =
    described ??
    constraint.message ??
    (constraint.fields === undefined ? detail : createUniqueViolationMessage(model, constraint));
  return message === undefined ? [] : [{ index: Math.max(index, 0), key: getConstraintErrorKey(constraint), message }];
}

function getConstraintErrorKey({ key, fields = [] }: ModelConstraint): string {
  const [only] = fields;
  return key ?? (fields.length === 1 && only !== undefined ? only : '__all__');
}

/**
 * Returns the reference API's error message for a unique value that another object already has
 * (docs/contract/inventory.md 1.5).
 */
function createUniqueViolationMessage(model: ModelDefinition, { message, fields = [] }: ModelConstraint): string {
  if (message !== undefined) return message;
  const labels = fields.map((name) => model.fields[name]?.traits.label ?? name.replaceAll('_', ' '));
  const [only] = labels;
  if (labels.length === 1 && only !== undefined) return `${model.verboseName} with this ${only} already exists.`;
  const capitals = labels.map(capitalizeMessage);
  return `${capitalizeMessage(model.verboseName)} with this ${capitals.slice(0, -1).join(', ')} and ${capitals.at(-1) ?? ''} already exists.`;
}

function capitalizeMessage(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function createConstraintConflictError(
  clashes: readonly ConstraintConflict[],
  shape: ValidationErrorForm,
  cause: unknown,
): Error {
  const byIndex = new Map<number, Record<string, string[]>>();
  for (const { index, key, message } of clashes) {
    const messages = byIndex.get(index) ?? {};
    (messages[key] ??= []).push(message);
    byIndex.set(index, messages);
  }
  return createValidationError(
    [...byIndex].map(([index, problems]) => ({ index, problems })),
    shape,
    cause,
  );
}

/** Creates the error response, with status 400, for the invalid objects of a write. */
export function createValidationError(
  found: readonly InvalidObject[],
  shape: ValidationErrorForm,
  cause?: unknown,
): Error {
  const [first] = found;
  const byIndex = new Map(found.map(({ index, problems }) => [index, problems]));
  const body =
    shape.kind === 'created list'
      ? Array.from({ length: shape.length }, (_, index) => byIndex.get(index) ?? {})
      : { ...first?.problems };
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body }, ...(cause === undefined ? {} : { cause }) });
}
