import type { DeliveryQuery } from './delivery-schemas.js';

/** Largest value of the column `sequence`. */
const maxSequence = '9223372036854775807';

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
 * rows, which no other index can read, whatever the statistics are. The other conditions match no index. Write a limit as a
 * subquery, which the planner does not see. Otherwise it might read and sort all rows of the index.
 */
export function selectDeliveries(
  owner: string,
  { endpointId, type, status, before, createdFrom, createdBefore }: Omit<DeliveryQuery, 'limit'>,
): DeliverySelection {
  const values: unknown[] = [];
  const parameter = (value: unknown, sqlType: string): string => `$${values.push(value)}::${sqlType}`;
  // PostgreSQL accepts fewer digits of a second, and smaller offsets, than the schema of the filter.
  const parameterOfTime = (time: string): string => parameter(new Date(time).toISOString(), 'timestamptz');
  const equal = (column: string, value: unknown, sqlType = 'text'): Equality[] =>
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
  const bound = (sequence: unknown): string =>
    [...indexed.map(({ value }) => value), parameter(sequence, 'bigint')].join(', ');
  const compared = indexed.map(({ column }) => column).join(' ');
  const others = Object.values(equalities)
    .flat()
    .filter(({ column }) => !compared.includes(column));
  const conditions = [
    `(${columns}) > (${bound(0)}) AND (${columns}) < (${bound(before ?? maxSequence)})`,
    // The conditions of partial indexes.
    ...(isUnfinished && endpointId === undefined ? [`d.status <> 'succeeded'`] : []),
    ...(isUnfinished && endpointId !== undefined ? [`(d.status <> 'succeeded')::int <> 0`] : []),
    ...others.map(({ column, value }) => `(${column} = ${value})::int <> 0`),
    ...(createdFrom === undefined ? [] : [`d.created >= ${parameterOfTime(createdFrom)}`]),
    ...(createdBefore === undefined ? [] : [`d.created < ${parameterOfTime(createdBefore)}`]),
  ];
  return { where: conditions.join(' AND '), order: [...indexed.map(({ column }) => column), 'd.sequence'], values };
}

/** Condition that a column equals a parameter. */
interface Equality {
  readonly column: string;
  readonly value: string;
}

/**
 * Returns the conditions on the first columns of the index that selects the deliveries. Few deliveries of an owner or of
 * an endpoint are unfinished, and one type or one endpoint has fewer than all.
 */
function indexedEqualities(
  { owner, endpoint, type, status }: Readonly<Record<'owner' | 'endpoint' | 'type' | 'status', Equality[]>>,
  isUnfinished: boolean,
): readonly Equality[] {
  if (isUnfinished && endpoint.length > 0) return [concatenate(...endpoint, ...status)];
  if (isUnfinished) return [...status, ...owner];
  if (type.length > 0) return [...type, ...owner];
  return endpoint.length > 0 ? endpoint : owner;
}

/** Returns the equality of the texts of several columns, for an index of their concatenation. */
function concatenate(...equalities: readonly Equality[]): Equality {
  const textOf = (parts: readonly string[]): string => parts.map((part) => `${part}::text`).join(` || ' ' || `);
  return {
    column: `(${textOf(equalities.map(({ column }) => column))})`,
    value: `(${textOf(equalities.map(({ value }) => value))})`,
  };
}
