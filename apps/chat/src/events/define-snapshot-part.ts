import type { z } from 'zod';
import type { JsonBytes } from '../infra/http/json-byte-chunks.js';
import { type SnapshotContext, createFetchTypePredicate } from './snapshot-context.js';

/** Some fields of the response of POST /register, and the condition for including them. */
export interface SnapshotPart {
  /** Schemas of the response fields by name. No two snapshot parts have a field in common. */
  readonly shape: z.ZodRawShape;
  /** SQL expression whose value is passed to `read`; undefined for a snapshot part without SQL. */
  readonly sql: string | undefined;
  readonly isRequested: (context: SnapshotContext) => boolean;
  /**
   * Event types with which a client keeps the fields up to date; null if some changes of the fields emit no event. A
   * client that continues a queue with all these types does not need the part (docs/contract/chat.md 4.6).
   */
  readonly maintainedBy: (context: SnapshotContext) => readonly string[] | null;
  readonly read: (context: SnapshotContext, value: unknown) => Promise<object> | object;
}

interface SnapshotPartCondition<S extends z.ZodRawShape> {
  /** Fetch types with which the snapshot part is included (docs/contract/chat.md 4.2). */
  readonly types: readonly string[];
  /** Additional condition for including the snapshot part. Default: no condition. */
  readonly when?: (context: SnapshotContext) => boolean;
  /**
   * Event types with which a client keeps the fields up to date, see {@link SnapshotPart.maintainedBy}. Default: no
   * events.
   */
  readonly maintainedBy?: readonly string[] | ((context: SnapshotContext) => readonly string[] | null);
  readonly shape: S;
}

/**
 * Values of a snapshot part's fields; a field may also be given as JSON. Fields with a separate condition may be
 * absent.
 */
type SnapshotPartFields<S extends z.ZodRawShape> = {
  readonly [Name in keyof z.output<z.ZodObject<S>>]?: z.output<z.ZodObject<S>>[Name] | JsonBytes;
};

/** Defines a snapshot part that reads its data by at most one statement, or by a shared read (`context.shared`). */
export function defineSnapshotPart<S extends z.ZodRawShape>(
  part: SnapshotPartCondition<S> & {
    read(context: SnapshotContext): Promise<SnapshotPartFields<S>> | SnapshotPartFields<S>;
  },
): SnapshotPart {
  return { ...getCommonSnapshotProperties(part), sql: undefined, read: (context) => part.read(context) };
}

/**
 * Defines a snapshot part with one SQL expression. One statement reads the expressions of all such parts, so that small
 * parts cost no round trip. `$1` is the realm's id, `$2` the actor's id. Rows are returned as `json_agg(...)`.
 */
export function defineSqlSnapshotPart<S extends z.ZodRawShape, T>(
  part: SnapshotPartCondition<S> & {
    readonly sql: string;
    /**
     * Returns the response fields, given the value of the SQL expression. The value is null if an aggregate had no
     * rows.
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

/** Reads the requested snapshot parts in sequence, on one connection. */
export async function readSnapshot(context: SnapshotContext, parts: readonly SnapshotPart[]): Promise<object> {
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
export function snapshotShape(parts: readonly SnapshotPart[]): z.ZodRawShape {
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part.shape))) {
    if (name in shape) throw new Error(`Two snapshot parts have the field ${name}`);
    shape[name] = schema;
  }
  return shape;
}
