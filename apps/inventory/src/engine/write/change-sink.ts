import type { Tx } from '@switchboard/database';
import type { FieldRelation } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { sqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/** Method, path and other properties of a request that changes objects. */
export interface ChangeRequestInfo {
  readonly id: string;
  readonly method: string;
  /** URL path of the request, without the query string. */
  readonly path: string;
}

/** Change to one object, recorded before it is committed. */
export interface ObjectChange {
  readonly model: ModelDefinition;
  readonly id: number;
  readonly event: 'created' | 'updated' | 'deleted';
  /** JSON text of the whole object: after the change, or before it for a deletion. URLs have no scheme and host. */
  readonly data: string;
  /** State before the change, as JSON text in change-log form, or null. */
  readonly prechange: string | null;
  /** State after the change, as JSON text in change-log form, or null. */
  readonly postchange: string | null;
  /** True if a field changed that neither `prechange` nor `postchange` shows, such as an encrypted text. */
  readonly hidden?: boolean;
  /** Message for the change log that the client sent (`changelog_message`). */
  readonly message?: string | undefined;
}

/** User and request to which a change is attributed. */
export interface ChangeAuthor {
  readonly userId: number | null;
  readonly username: string;
  readonly request: ChangeRequestInfo | null;
}

/** Returns the user and request to which the changes of a write are attributed. */
export function getChangeAuthor({
  actor,
  request,
}: {
  readonly actor: { readonly id: number | null; readonly username: string };
  readonly request: ChangeRequestInfo | null;
}): ChangeAuthor {
  // An actor with the id 0 is no user.
  return { userId: actor.id === 0 ? null : actor.id, username: actor.username, request };
}

/** A group of staged changes. Its rows are numbered by the column `place` from 1 to `count`, possibly with gaps. */
export interface StagedChangeGroup {
  readonly part: number;
  readonly count: number;
  /** Values of the column `place` at the end of each batch of rows; set if `place` may have many gaps. */
  readonly ends?: readonly number[];
}

/** Records changes of objects in the transaction that makes these changes. */
export interface ChangeSink {
  record(tx: Tx, changes: readonly ObjectChange[], context: ChangeAuthor): void;
  /**
   * Writes the recorded changes now if they are too many for one statement. Must be the last call in a transaction that
   * may change many objects.
   */
  writeIfMany(tx: Tx): Promise<void>;
  /**
   * Returns INSERT statements that record created objects, for use as CTEs in the statement that creates the objects.
   * `from` has the columns `id`, `data` and `snapshot` (texts as in {@link ObjectChange}, with URLs that start with
   * `$1`), `repr`, and `related_type` and `related_id` of {@link relatedObjectSql}. The parameters of the INSERTs start
   * at `$3`.
   */
  recordCreationsSql(model: ModelDefinition, from: SqlText): readonly SqlText[];
  /**
   * Returns the values of the parameters of {@link recordCreationsSql}, for a statement in `tx` that creates `count` objects.
   */
  recordCreationsValues(tx: Tx, count: number, context: ChangeAuthor): unknown[];
  /**
   * Inserts into the change log and the outbox the changes that `StagedChangeTable` staged in `tx`, ordered by part and
   * place. Must be the last call in the transaction, which must not record any other changes.
   */
  insertStaged(tx: Tx, parts: readonly StagedChangeGroup[], context: ChangeAuthor): Promise<void>;
}

/**
 * Returns the SQL expressions of model and id of an object's parent, such as the device of an interface. Both are null
 * for an object without a parent.
 */
export function relatedObjectSql(model: ModelDefinition, alias: string): { type: SqlText; id: SqlText } | null {
  const ways = listReferencesToOwners(model).map(({ name, relation: { typeField, idField, targets } }) => {
    if (typeField !== undefined && idField !== undefined) {
      return { type: `${alias}."${typeField}"`, id: `${alias}."${idField}"` };
    }
    const id = `${alias}."${name}_id"`;
    return { type: `CASE WHEN ${id} IS NOT NULL THEN ${sqlLiteral(targets[0] ?? '')} END`, id };
  });
  if (ways.length === 0) return null;
  const first = (parts: readonly SqlText[]): SqlText =>
    parts.length === 1 ? parts.join('') : `coalesce(${parts.join(', ')})`;
  return { type: first(ways.map(({ type }) => type)), id: first(ways.map(({ id }) => id)) };
}

/**
 * Returns model and id of an object's parent, as {@link relatedObjectSql} does. Takes the id from the change-log form
 * (`snapshot`), and the model from the JSON (`data`).
 */
export function findRelatedObject(
  model: ModelDefinition,
  snapshot: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): { type: string; id: number } | null {
  for (const { name, relation } of listReferencesToOwners(model)) {
    const type: unknown = relation.typeField === undefined ? relation.targets[0] : data[relation.typeField];
    const id: unknown = snapshot[relation.idField ?? name];
    if (typeof type === 'string' && typeof id === 'number') return { type, id };
  }
  return null;
}

/** Returns the model's references to objects that its objects belong to, such as `device` of an interface. */
function listReferencesToOwners({ relatedTo, fields }: ModelDefinition): { name: string; relation: FieldRelation }[] {
  return relatedTo.flatMap((name) => {
    const relation = fields[name]?.relation;
    return relation === undefined ? [] : [{ name, relation }];
  });
}
