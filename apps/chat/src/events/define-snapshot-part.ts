import type { z } from 'zod';
import type { JsonBytes } from '../infra/http/json-byte-chunks.js';
import { type SnapshotContext, createFetchTypePredicate } from './snapshot-context.js';

/** A part of the POST /register response (snapshot): some response fields, and the condition for including them. */
export interface SnapshotPart {
  /** Schemas of the response fields by name. Two snapshot parts never have a field in common. */
  readonly shape: z.ZodRawShape;
  /** SQL expression whose value is passed to `read`; undefined for a snapshot part without SQL. */
  readonly sql: string | undefined;
  readonly isRequested: (context: SnapshotContext) => boolean;
  /**
   * Event types with which a client updates the fields of the snapshot part; null if some changes of the fields emit no
   * event. A client that continues an event queue with all these event types does not need the part
   * (docs/contract/chat.md 4.6).
   */
  readonly maintainedBy: (context: SnapshotContext) => readonly string[] | null;
  readonly read: (context: SnapshotContext, value: unknown) => Promise<object> | object;
}

interface SnapshotPartCondition<S extends z.ZodRawShape> {
  /** Fetch types for which the snapshot part is included in the response (docs/contract/chat.md 4.2). */
  readonly types: readonly string[];
  /** Additional condition for including the snapshot part. By default, no additional condition applies. */
  readonly when?: (context: SnapshotContext) => boolean;
  /**
   * Event types with which a client updates the fields of the snapshot part, see {@link SnapshotPart.maintainedBy}. By
   * default, no event types.
   */
  readonly maintainedBy?: readonly string[] | ((context: SnapshotContext) => readonly string[] | null);
  readonly shape: S;
}

/**
 * Values of a snapshot part's fields. A value may also be JSON text, and a field with a separate condition may be
 * absent.
 */
type SnapshotPartFields<S extends z.ZodRawShape> = {
  readonly [Name in keyof z.output<z.ZodObject<S>>]?: z.output<z.ZodObject<S>>[Name] | JsonBytes;
};

/**
 * Defines a part of the POST /register response that reads its data by at most one SQL statement, or by a shared read
 * (`context.shared`).
 */
export function defineSnapshotPart<S extends z.ZodRawShape>(
  part: SnapshotPartCondition<S> & {
    read(context: SnapshotContext): Promise<SnapshotPartFields<S>> | SnapshotPartFields<S>;
  },
): SnapshotPart {
  return { ...getCommonSnapshotProperties(part), sql: undefined, read: (context) => part.read(context) };
}

/**
 * Defines a snapshot part with one SQL expression. One SQL statement reads the expressions of all snapshot parts of
 * this kind, so that a small part needs no separate database request. `$1` is the realm's id, and `$2` is the actor's
 * id. An expression returns rows as `json_agg(...)`.
 */
export function defineSqlSnapshotPart<S extends z.ZodRawShape, T>(
  part: SnapshotPartCondition<S> & {
    readonly sql: string;
    /**
     * Converts the value of the SQL expression to response fields. The value is null if an aggregate has read no rows.
     */
    fields(value: T, context: SnapshotContext): Promise<SnapshotPartFields<S>> | SnapshotPartFields<S>;
  },
): SnapshotPart {
  return {
    ...getCommonSnapshotProperties(part),
    sql: part.sql,
    read: (context, value) => part.fields(value as T, context),
  };
}

function getCommonSnapshotProperties(
  part: SnapshotPartCondition<z.ZodRawShape>,
): Pick<SnapshotPart, 'shape' | 'isRequested' | 'maintainedBy'> {
  const { shape, types, when = () => true, maintainedBy = null } = part;
  return {
    shape,
    isRequested: (context) => context.wants(...types) && when(context),
    maintainedBy: typeof maintainedBy === 'function' ? maintainedBy : () => maintainedBy,
  };
}

/**
 * Returns the snapshot parts that a client needs in addition to a delta, because no event of its queue maintains them.
 *
 * @param eventTypes event types of the client's queue; null for all
 */
export function listPartsMissingFromDelta(
  context: SnapshotContext,
  parts: readonly SnapshotPart[],
  eventTypes: readonly string[] | null,
): SnapshotPart[] {
  const receives = createFetchTypePredicate(eventTypes);
  return parts.filter((part) => !(part.maintainedBy(context)?.every((type) => receives(type)) ?? false));
}

/** Reads the requested parts of a POST /register response one after another, on one database connection. */
export async function readRequestedSnapshotParts(
  context: SnapshotContext,
  parts: readonly SnapshotPart[],
): Promise<object> {
  const requested = parts.filter((part) => part.isRequested(context));
  const values = await readSqlSnapshotParts(context, requested);
  const snapshot = {};
  for (const part of requested) Object.assign(snapshot, await part.read(context, values.get(part)));
  return snapshot;
}

async function readSqlSnapshotParts(
  { tx, actor }: SnapshotContext,
  parts: readonly SnapshotPart[],
): Promise<ReadonlyMap<SnapshotPart, unknown>> {
  const bySql = parts.filter(({ sql }) => sql !== undefined);
  if (bySql.length === 0) return new Map();
  const columns = bySql.map(({ sql }, index) => `(${sql}) AS part_${index}`);
  // The condition gives both parameters a type, even if no expression uses them.
  const { rows } = await tx.query<Record<string, unknown>>(
    `SELECT ${columns.join(',\n')} WHERE $1::int IS NOT NULL AND $2::int IS NOT NULL`,
    [actor.realmId, actor.id],
  );
  return new Map(bySql.map((part, index) => [part, rows[0]?.[`part_${index}`] ?? null]));
}

/**
 * Returns the schemas of the fields of all snapshot parts.
 *
 * @throws Error when two parts have a field in common
 */
export function combineSnapshotFieldSchemas(parts: readonly SnapshotPart[]): z.ZodRawShape {
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part.shape))) {
    if (name in shape) throw new Error(`Two snapshot parts have the field ${name}`);
    shape[name] = schema;
  }
  return shape;
}
