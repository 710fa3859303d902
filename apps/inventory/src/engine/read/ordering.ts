import type { SqlScope } from '../declaration/field.js';
import type { ModelDefinition, OrderTerm } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import { rowAlias } from './shapes.js';

/**
 * The ORDER BY of a list: the names asked for, or the model's own order; always ended by `id`, so that pages neither
 * overlap nor leave gaps. Names that the model cannot sort by are dropped (contract 1.7).
 */
export function orderBy(model: ModelDefinition, ordering: string | null, scope: SqlScope): Sql {
  const asked = (ordering ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .flatMap((name) => byName(model, name.replace(/^-/, ''), name.startsWith('-'), scope));
  const terms = asked.length > 0 ? asked : model.order.flatMap((term) => byTerm(model, term, scope));
  return [...terms, `${rowAlias}.id`].join(', ');
}

function byName(model: ModelDefinition, name: string, descending: boolean, scope: SqlScope): Sql[] {
  const found = Object.entries(model.fields).find(
    ([fieldName, field]) =>
      fieldName === name || field.column(fieldName)?.name === name || sourceName(fieldName) === name,
  );
  if (found === undefined) return [];
  const [fieldName, field] = found;
  const expressions = field.order({ name: fieldName, model, alias: rowAlias, scope });
  return expressions.map((expression) => (descending ? `${expression} DESC` : expression));
}

/** Sorting goes by the reference API's internal name of a field where that differs. */
function sourceName(fieldName: string): string {
  return fieldName === '_depth' ? 'level' : fieldName;
}

function byTerm(model: ModelDefinition, term: OrderTerm, scope: SqlScope): Sql[] {
  const field = term.field === undefined ? undefined : model.fields[term.field];
  const expressions =
    term.sql === undefined
      ? (field?.order({ name: term.field ?? '', model, alias: rowAlias, scope }) ?? [])
      : [term.sql(rowAlias)];
  const direction = `${term.descending === true ? ' DESC' : ''}${term.nullsFirst === true ? ' NULLS FIRST' : ''}`;
  return expressions.map((expression) => `${expression}${direction}`);
}
