import type { DeliveryQuery } from './delivery-schemas.js';

/** Largest value of the column `sequence` of deliveries, as text. */
const maxDeliverySequence = '9223372036854775807';

/**
 * Maximum time, as an SQL interval, from the start of a transaction to its insertion of a delivery. The column
 * `created` contains the start of the transaction, and the insertion sets the column `sequence`. Outbox transactions
 * end after a few minutes, so one hour is sufficient.
 */
const maxDeliveryInsertionDelay = `interval '1 hour'`;

/** SQL parts that select rows of deliveries with the alias `d`. */
export interface DeliverySelectionSql {
  /** SQL condition on deliveries. Its parameters are in `values`. */
  readonly where: string;
  /** SQL columns that sort the deliveries by `sequence` and are the order of the index that selects the deliveries. */
  readonly order: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Returns the SQL selection of an owner's deliveries that match a filter. The columns of one index are compared as a
 * row value, so that the planner must use that index regardless of table statistics. The other conditions match no
 * index. Times become limits of `sequence`, so that at most the deliveries of one hour before and after a time are read
 * additionally. The caller must write a LIMIT as a subquery, whose value the planner does not see. Otherwise the
 * planner might read and sort all rows of the index.
 *
 * @param table table of the deliveries
 */
export function createDeliverySelectionSql(
  table: string,
  owner: string,
  { endpointId, type, status, before, createdFrom, createdBefore }: Omit<DeliveryQuery, 'limit'>,
): DeliverySelectionSql {
  const values: unknown[] = [];
  const parameter = (value: unknown, sqlType: string): string => `$${values.push(value)}::${sqlType}`;
  // PostgreSQL accepts fewer digits of a second, and smaller offsets, than the schema of the filter.
  const parameterOfTime = (time: string): string => parameter(new Date(time).toISOString(), 'timestamptz');
  const equal = (column: string, value: unknown, sqlType = 'text'): ColumnEqualitySql[] =>
    value === undefined ? [] : [{ column, value: parameter(value, sqlType) }];
  const equalities = {
    owner: equal('d.owner', owner),
    endpoint: equal('d.endpoint_id', endpointId, 'uuid'),
    type: equal('d.event', type),
    status: equal('d.status', status),
  };
  const isUnfinished = status === 'failed' || status === 'queued';
  const indexed = createIndexedColumnEqualities(equalities, isUnfinished);
  const columns = [...indexed.map(({ column }) => column), 'd.sequence'].join(', ');
  const bound = (sequence: string): string => [...indexed.map(({ value }) => value), sequence].join(', ');
  const from = createdFrom === undefined ? undefined : parameterOfTime(createdFrom);
  const to = createdBefore === undefined ? undefined : parameterOfTime(createdBefore);
  const first = from === undefined ? '0' : `coalesce(${createLastSequenceBeforeSql(table, from)}, 0)`;
  const last = parameter(before ?? maxDeliverySequence, 'bigint');
  // The function least() ignores null.
  const end = to === undefined ? last : `least(${last}, ${createFirstSequenceAfterSql(table, to)})`;
  const compared = indexed.map(({ column }) => column).join(' ');
  const others = Object.values(equalities)
    .flat()
    .filter(({ column }) => !compared.includes(column));
  const conditions = [
    `(${columns}) > (${bound(first)}) AND (${columns}) < (${bound(end)})`,
    // The conditions of partial indexes.
    ...(isUnfinished && endpointId === undefined ? [`d.status <> 'succeeded'`] : []),
    ...(isUnfinished && endpointId !== undefined ? [`(d.status <> 'succeeded')::int <> 0`] : []),
    ...others.map(({ column, value }) => `(${column} = ${value})::int <> 0`),
    ...(from === undefined ? [] : [`(d.created >= ${from})::int <> 0`]),
    ...(to === undefined ? [] : [`(d.created < ${to})::int <> 0`]),
  ];
  return { where: conditions.join(' AND '), order: [...indexed.map(({ column }) => column), 'd.sequence'], values };
}

/**
 * Returns an SQL subquery for a sequence number that is less than the sequence numbers of all deliveries created at or
 * after a time.
 */
const createLastSequenceBeforeSql = (table: string, time: string): string => `(
  SELECT c.sequence FROM ${table} c WHERE (c.created, c.sequence) < (${time} - ${maxDeliveryInsertionDelay}, 0)
   ORDER BY c.created DESC, c.sequence DESC LIMIT 1)`;

/**
 * Returns an SQL subquery for a sequence number that is greater than the sequence numbers of all deliveries created
 * before a time. The subquery gives null if no delivery was created more than an hour after the time.
 */
const createFirstSequenceAfterSql = (table: string, time: string): string => `(
  SELECT c.sequence FROM ${table} c WHERE (c.created, c.sequence) > (${time} + ${maxDeliveryInsertionDelay}, 0)
   ORDER BY c.created, c.sequence LIMIT 1)`;

/** SQL condition that a column equals a parameter. */
interface ColumnEqualitySql {
  readonly column: string;
  readonly value: string;
}

/**
 * Returns the conditions on the first columns of the index that selects the deliveries. The choice prefers the index
 * that selects the fewest deliveries. Few deliveries of an owner or endpoint are unfinished. One event type of one
 * endpoint has fewer deliveries than the type or the endpoint alone.
 */
function createIndexedColumnEqualities(
  { owner, endpoint, type, status }: Readonly<Record<'owner' | 'endpoint' | 'type' | 'status', ColumnEqualitySql[]>>,
  isUnfinished: boolean,
): readonly ColumnEqualitySql[] {
  if (isUnfinished && endpoint.length > 0) return [createConcatenatedColumnsEquality(...endpoint, ...status)];
  if (isUnfinished) return [...status, ...owner];
  if (type.length > 0 && endpoint.length > 0) return [createConcatenatedColumnsEquality(...endpoint, ...type)];
  if (type.length > 0) return [...type, ...owner];
  return endpoint.length > 0 ? endpoint : owner;
}

/**
 * Returns the SQL condition that the concatenation of several columns equals the concatenation of their values. An
 * index on the concatenation supports the condition.
 */
function createConcatenatedColumnsEquality(...equalities: readonly ColumnEqualitySql[]): ColumnEqualitySql {
  const textOf = (parts: readonly string[]): string => parts.map((part) => `${part}::text`).join(` || ' ' || `);
  return {
    column: `(${textOf(equalities.map(({ column }) => column))})`,
    value: `(${textOf(equalities.map(({ value }) => value))})`,
  };
}
