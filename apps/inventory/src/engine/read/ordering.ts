import { errors } from '../../errors.js';
import type { AnyField, SqlScope } from '../declaration/field.js';
import type { ModelDefinition, OrderTerm } from '../declaration/model.js';
import type { RequestLimits } from '../request-limits.js';
import { identifier, type Sql } from '../sql/pieces.js';
import { rowAlias } from './shapes.js';

/** How a list is sorted: what stands behind the table in FROM, and what stands in ORDER BY. */
export interface Ordering {
  readonly joins: Sql;
  readonly by: Sql;
}

/** Where terms are made: the statement's scope, and the joins that they need so far. */
interface Making {
  readonly scope: SqlScope;
  readonly joins: Sql[];
}

/**
 * The order of a list: the names asked for, or the model's own order; always ended by `id`, so that pages neither
 * overlap nor leave gaps. Names that the model cannot sort by are dropped (contract 1.7), and so is a field that comes
 * again: rows that are equal in it stay so.
 *
 * @throws AppError VALIDATION_FAILED when there are more different names than one request may give
 */
export function orderBy(
  model: ModelDefinition,
  ordering: string | null,
  scope: SqlScope,
  { orderingNames }: Pick<RequestLimits, 'orderingNames'>,
): Ordering {
  const making: Making = { scope, joins: [] };
  const names = new Map<string, boolean>();
  for (const given of (ordering ?? '').split(',')) {
    const name = given.trim().replace(/^-/, '');
    if (name !== '' && !names.has(name)) names.set(name, given.trim().startsWith('-'));
  }
  if (names.size > orderingNames) {
    const message = `Give at most ${orderingNames} names (there are ${names.size}).`;
    throw errors.create('VALIDATION_FAILED', { fields: { body: { ordering: [message] } } });
  }
  const asked = [...names].flatMap(([name, descending]) => byName(model, name, descending, making));
  const terms = asked.length > 0 ? asked : byTerms(model, rowAlias, making);
  return { joins: making.joins.join(''), by: [...terms, `${rowAlias}.id`].join(', ') };
}

function byName(model: ModelDefinition, name: string, descending: boolean, making: Making): Sql[] {
  const found = Object.entries(model.fields).find(
    ([fieldName, field]) =>
      fieldName === name || field.column(fieldName)?.name === name || sourceName(fieldName) === name,
  );
  if (found === undefined) return [];
  const expressions = byField(model, found[0], found[1], rowAlias, making);
  return expressions.map((expression) => (descending ? `${expression} DESC` : expression));
}

/**
 * What every object refers to is joined: the database may then begin with its index, in whose order the page is found
 * without sorting all objects. Other fields are expressions of the row.
 */
function byField(model: ModelDefinition, name: string, field: AnyField, alias: string, making: Making): readonly Sql[] {
  const { relation, traits } = field;
  const column = field.column(name);
  const target = relation?.kind === 'ref' ? making.scope.registry.find(relation.targets[0] ?? '') : null;
  if (target === null || column === null || traits.nullable) return field.order({ name, model, alias, ...making });
  const joined = making.scope.alias();
  making.joins.push(` JOIN ${target.table} ${joined} ON ${joined}.id = ${alias}.${identifier(column.name)}`);
  return byTerms(target, joined, making);
}

/** Sorting goes by the reference API's internal name of a field where that differs. */
function sourceName(fieldName: string): string {
  return fieldName === '_depth' ? 'level' : fieldName;
}

function byTerms(model: ModelDefinition, alias: string, making: Making): Sql[] {
  return model.order.flatMap((term) => byTerm(model, term, alias, making));
}

function byTerm(model: ModelDefinition, term: OrderTerm, alias: string, making: Making): Sql[] {
  const field = term.field === undefined ? undefined : model.fields[term.field];
  const ofField = field === undefined ? [] : byField(model, term.field ?? '', field, alias, making);
  const expressions = term.sql === undefined ? ofField : [term.sql(alias)];
  const direction = `${term.descending === true ? ' DESC' : ''}${term.nullsFirst === true ? ' NULLS FIRST' : ''}`;
  return expressions.map((expression) => `${expression}${direction}`);
}
