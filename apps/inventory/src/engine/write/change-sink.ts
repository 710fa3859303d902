import type { Tx } from '@switchboard/database';
import type { FieldRelation } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/** Method, path and other properties of an HTTP request that changes objects. */
export interface ObjectChangeHttpRequest {
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
  /**
   * JSON text of the whole object: after the change, or, for a deletion, before the deletion. URLs in the text have no
   * scheme and host.
   */
  readonly data: string;
  /**
   * State of the object before the change, as JSON text in the form of the change log. Null without such a state, for
   * example for a created object.
   */
  readonly prechange: string | null;
  /**
   * State of the object after the change, as JSON text in the form of the change log. Null without such a state, for
   * example for a deleted object.
   */
  readonly postchange: string | null;
  /** True if the change affects a field that neither `prechange` nor `postchange` shows, such as an encrypted text. */
  readonly hidden?: boolean;
  /** Message (`changelog_message`) that the client sent with the change, for the change log. */
  readonly message?: string | undefined;
}

/** User and request to which a change is attributed. */
export interface ChangeAuthor {
  readonly userId: number | null;
  readonly username: string;
  readonly request: ObjectChangeHttpRequest | null;
}

/** Returns the user and request to which the changes of a write are attributed. */
export function getChangeAuthor({
  actor,
  request,
}: {
  readonly actor: { readonly id: number | null; readonly username: string };
  readonly request: ObjectChangeHttpRequest | null;
}): ChangeAuthor {
  // An actor with the id 0 is no user.
  return { userId: actor.id === 0 ? null : actor.id, username: actor.username, request };
}

/**
 * A group of changes that wait in a temporary table. The column `place` numbers the rows of the group from 1 to
 * `count`, possibly with gaps.
 */
export interface TemporaryTableChangeGroup {
  readonly part: number;
  readonly count: number;
  /**
   * Values of the column `place` in the last row of each batch. Set only if the numbers in `place` may have many gaps.
   */
  readonly ends?: readonly number[];
}

/** Records changes of objects in the same transaction that changes the objects. */
export interface ObjectChangeReceiver {
  record(tx: Tx, changes: readonly ObjectChange[], context: ChangeAuthor): void;
  /**
   * Writes the recorded changes to the database now, if there are too many for one statement. If a transaction may
   * change many objects, this call must be the last one in it.
   */
  writeIfMany(tx: Tx): Promise<void>;
  /**
   * Returns INSERT statements that record the creation of objects. The statement that creates the objects includes the
   * INSERTs as common table expressions. `from` has the columns `id`, `data` and `snapshot`, with texts like those of
   * {@link ObjectChange} and with URLs that start with `$1`. Further columns of `from` are `repr`, and `related_type`
   * and `related_id` of {@link createParentObjectSql}. The parameters of the INSERTs start at `$3`.
   */
  recordCreationsSql(model: ModelDefinition, from: SqlText): readonly SqlText[];
  /**
   * Returns the parameter values for the SQL of {@link recordCreationsSql}. The SQL is part of a statement in the
   * transaction `tx` that creates `count` objects.
   */
  recordCreationsValues(tx: Tx, count: number, context: ChangeAuthor): unknown[];
  /**
   * Inserts changes into the change log and the outbox, ordered by part and place. `TemporaryChangeTable` collected the
   * changes in a temporary table of the transaction `tx`. The call must be the last one in the transaction, which must
   * not record any other changes.
   */
  insertStaged(tx: Tx, parts: readonly TemporaryTableChangeGroup[], context: ChangeAuthor): Promise<void>;
}

/**
 * Returns the SQL expressions of the model and the id of an object's parent, such as the device of an interface. Both
 * expressions are null for an object without a parent.
 */
export function createParentObjectSql(model: ModelDefinition, alias: string): { type: SqlText; id: SqlText } | null {
  const ways = listReferencesToParentObjects(model).map(({ name, relation: { typeField, idField, targets } }) => {
    if (typeField !== undefined && idField !== undefined) {
      return { type: `${alias}."${typeField}"`, id: `${alias}."${idField}"` };
    }
    const id = `${alias}."${name}_id"`;
    return { type: `CASE WHEN ${id} IS NOT NULL THEN ${quoteSqlLiteral(targets[0] ?? '')} END`, id };
  });
  if (ways.length === 0) return null;
  const first = (parts: readonly SqlText[]): SqlText =>
    parts.length === 1 ? parts.join('') : `coalesce(${parts.join(', ')})`;
  return { type: first(ways.map(({ type }) => type)), id: first(ways.map(({ id }) => id)) };
}

/**
 * Returns the model and the id of an object's parent, as {@link createParentObjectSql} does. Takes the id from the change
 * log form of the object (`snapshot`), and the model from the JSON of the object (`data`).
 */
export function findParentObject(
  model: ModelDefinition,
  snapshot: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): { type: string; id: number } | null {
  for (const { name, relation } of listReferencesToParentObjects(model)) {
    const type: unknown = relation.typeField === undefined ? relation.targets[0] : data[relation.typeField];
    const id: unknown = snapshot[relation.idField ?? name];
    if (typeof type === 'string' && typeof id === 'number') return { type, id };
  }
  return null;
}

/**
 * Returns the references of a model to the parent objects to which its objects belong, such as `device` of an
 * interface.
 */
function listReferencesToParentObjects({
  relatedTo,
  fields,
}: ModelDefinition): { name: string; relation: FieldRelation }[] {
  return relatedTo.flatMap((name) => {
    const relation = fields[name]?.relation;
    return relation === undefined ? [] : [{ name, relation }];
  });
}
