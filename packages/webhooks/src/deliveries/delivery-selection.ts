import type { DeliveryQuery } from './delivery-schemas.js';

/** Largest value of the column `sequence`. */
const maxDeliverySequence = '9223372036854775807';

/**
 * Maximum time, as an SQL interval, from the start of a transaction to its insertion of a delivery. The start is the
 * column `created`, and the insertion sets the column `sequence`. Outbox transactions end after a few minutes.
 */
const maxInsertionDelay = `interval '1 hour'`;

/** SQL selection of deliveries `d`. */
export interface DeliverySelection {
  /** SQL condition with the parameters `values`. */
  readonly where: string;
  /** Columns of an order by `sequence`, which is the order of the index that selects the deliveries. */
  readonly order: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Returns the SQL selection of the deliveries of an owner that match a filter. The columns of one index are compared as
 * rows, which no other index can read, whatever the statistics are. The other conditions match no index. Times become limits
 * of `sequence`, so that at most the deliveries of an hour before and after them are read. Write a limit as a subquery,
 * which the planner does not see. Otherwise it might read and sort all rows of the index.
 *
 * @param table table of the deliveries
 */
export function selectDeliveries(
  table: string,
  owner: string,
  { endpointId, type, status, before, createdFrom, createdBefore }: Omit<DeliveryQuery, 'limit'>,
): DeliverySelection {
  const values: unknown[] = [];
  const parameter = (value: unknown, sqlType: string): string => `$${values.push(value)}::${sqlType}`;
  // PostgreSQL accepts fewer digits of a second, and smaller offsets, than the schema of the filter.
  const parameterOfTime = (time: string): string => parameter(new Date(time).toISOString(), 'timestamptz');
  const equal = (column: string, value: unknown, sqlType = 'text'): ColumnEquality[] =>
    value === undefined ? [] : [{ column, value: parameter(value, sqlType) }];
  const equalities = {
    owner: equal('d.owner', owner),
    endpoint: equal('d.endpoint_id', endpointId, 'uuid'),
    type: equal('d.event', type),
    status: equal('d.status', status),
  };
  const isUnfinished = status === 'failed' || status === 'queued';
  const indexed = indexedEqualities(equalities, isUnfinished);
  const columns = [...indexed.map(({ column }) => column), 'd.sequence'].join(', ');
  const bound = (sequence: string): string => [...indexed.map(({ value }) => value), sequence].join(', ');
  const from = createdFrom === undefined ? undefined : parameterOfTime(createdFrom);
  const to = createdBefore === undefined ? undefined : parameterOfTime(createdBefore);
  const first = from === undefined ? '0' : `coalesce(${findLastSequenceBefore(table, from)}, 0)`;
  const last = parameter(before ?? maxDeliverySequence, 'bigint');
  // The function least() ignores null.
  const end = to === undefined ? last : `least(${last}, ${findFirstSequenceAfter(table, to)})`;
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

/** Returns the SQL of a sequence that precedes the sequences of all deliveries created from a time. */
const findLastSequenceBefore = (table: string, time: string): string => `(
  SELECT c.sequence FROM ${table} c WHERE (c.created, c.sequence) < (${time} - ${maxInsertionDelay}, 0)
   ORDER BY c.created DESC, c.sequence DESC LIMIT 1)`;

/**
 * Returns the SQL of a sequence that follows the sequences of all deliveries created before a time. Null if there are
 * no such deliveries.
 */
const findFirstSequenceAfter = (table: string, time: string): string => `(
  SELECT c.sequence FROM ${table} c WHERE (c.created, c.sequence) > (${time} + ${maxInsertionDelay}, 0)
   ORDER BY c.created, c.sequence LIMIT 1)`;

/** Condition that a column equals a parameter. */
interface ColumnEquality {
  readonly column: string;
  readonly value: string;
}

/**
 * Returns the conditions on the first columns of the index that selects the deliveries. Few deliveries of an owner or of
 * an endpoint are unfinished, and one type or one endpoint has fewer than all. One type of one endpoint has the fewest.
 */
function indexedEqualities(
  { owner, endpoint, type, status }: Readonly<Record<'owner' | 'endpoint' | 'type' | 'status', ColumnEquality[]>>,
  isUnfinished: boolean,
): readonly ColumnEquality[] {
  if (isUnfinished && endpoint.length > 0) return [concatenatedColumnsEquality(...endpoint, ...status)];
  if (isUnfinished) return [...status, ...owner];
  if (type.length > 0 && endpoint.length > 0) return [concatenatedColumnsEquality(...endpoint, ...type)];
  if (type.length > 0) return [...type, ...owner];
  return endpoint.length > 0 ? endpoint : owner;
}

/** Returns the equality of the texts of several columns, for an index of their concatenation. */
function concatenatedColumnsEquality(...equalities: readonly ColumnEquality[]): ColumnEquality {
  const textOf = (parts: readonly string[]): string => parts.map((part) => `${part}::text`).join(` || ' ' || `);
  return {
    column: `(${textOf(equalities.map(({ column }) => column))})`,
    value: `(${textOf(equalities.map(({ value }) => value))})`,
  };
}
