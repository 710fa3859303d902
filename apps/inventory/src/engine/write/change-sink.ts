import type { Tx } from '@switchboard/database';
import type { Relation } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/model.js';
import { literal, type Sql } from '../sql/pieces.js';

/** The request that changes something. */
export interface RequestInfo {
  readonly id: string;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
}

/** One change to one object, before it is committed. */
export interface ObjectChange {
  readonly model: ModelDefinition;
  readonly id: number;
  readonly event: 'created' | 'updated' | 'deleted';
  /** JSON text of the whole object, after the change or, when deleted, before it; URLs without scheme and host. */
  readonly data: string;
  /** JSON texts in change-log form. */
  readonly prechange: string | null;
  readonly postchange: string | null;
  /** True if something changed that neither form shows, such as an encrypted text. */
  readonly hidden?: boolean;
  /** Change-log message of the client (`changelog_message`). */
  readonly message?: string | undefined;
}

/** The user and request of a change. */
export interface ChangeContext {
  readonly userId: number | null;
  readonly username: string;
  readonly request: RequestInfo | null;
}

/** The context of the changes that a request of a user makes. */
export function contextOf({
  actor,
  request,
}: {
  readonly actor: { readonly id: number | null; readonly username: string };
  readonly request: RequestInfo | null;
}): ChangeContext {
  return { userId: actor.id, username: actor.username, request };
}

/** A part of the staged changes: rows with a `place` from 1 to `count`, of which some may be absent. */
export interface StagedPart {
  readonly part: number;
  readonly count: number;
  /** The last place of each slice, if most places from 1 to the last one are absent. */
  readonly ends?: readonly number[];
}

/** Takes note of changes inside the transaction that makes them. */
export interface ChangeSink {
  record(tx: Tx, changes: readonly ObjectChange[], context: ChangeContext): void;
  /**
   * Writes the recorded changes now if they are too many to be written in one go. Call it as the last statement of a
   * transaction that may change many objects.
   */
  settle(tx: Tx): Promise<void>;
  /**
   * INSERTs that take note of created objects, for the statement that creates them. `from` has the columns `id`,
   * `data` and `snapshot`, texts as in {@link ObjectChange} but with URLs that begin with `$1`, `repr`, and
   * `related_type` and `related_id` of {@link relatedObject}. Their own parameters begin at `$3`.
   */
  creationSql(model: ModelDefinition, from: Sql): readonly Sql[];
  /** The values of those parameters, for one run of the statement in `tx` that creates so many objects. */
  creationValues(tx: Tx, count: number, context: ChangeContext): unknown[];
  /**
   * Inserts what `StagedChanges` staged in `tx`, in the order of the parts and of the places in them. These must be the
   * last statements of the transaction; no other changes are recorded in it.
   */
  insertStaged(tx: Tx, parts: readonly StagedPart[], context: ChangeContext): Promise<void>;
}

/** Expressions of type and id of what an object of a model belongs to; null where it belongs to nothing. */
export function relatedObject(model: ModelDefinition, alias: string): { type: Sql; id: Sql } | null {
  const ways = references(model).map(({ name, relation: { typeField, idField, targets } }) => {
    if (typeField !== undefined && idField !== undefined) {
      return { type: `${alias}."${typeField}"`, id: `${alias}."${idField}"` };
    }
    const id = `${alias}."${name}_id"`;
    return { type: `CASE WHEN ${id} IS NOT NULL THEN ${literal(targets[0] ?? '')} END`, id };
  });
  if (ways.length === 0) return null;
  const first = (parts: readonly Sql[]): Sql => (parts.length === 1 ? parts.join('') : `coalesce(${parts.join(', ')})`);
  return { type: first(ways.map(({ type }) => type)), id: first(ways.map(({ id }) => id)) };
}

/** The same out of the change-log form, which has ids, and the representation, which has the names of types. */
export function relatedOf(
  model: ModelDefinition,
  snapshot: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): { type: string; id: number } | null {
  for (const { name, relation } of references(model)) {
    const type: unknown = relation.typeField === undefined ? relation.targets[0] : data[relation.typeField];
    const id: unknown = snapshot[relation.idField ?? name];
    if (typeof type === 'string' && typeof id === 'number') return { type, id };
  }
  return null;
}

/** The references to what objects of a model belong to. */
function references({ relatedTo, fields }: ModelDefinition): { name: string; relation: Relation }[] {
  return relatedTo.flatMap((name) => {
    const relation = fields[name]?.relation;
    return relation === undefined ? [] : [{ name, relation }];
  });
}
