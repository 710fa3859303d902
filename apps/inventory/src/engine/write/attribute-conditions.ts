import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';
import { refuse } from './input-problem.js';

/** Where an attribute condition is compiled. */
interface Place {
  readonly registry: Registry;
  readonly parameters: Parameters;
  readonly alias: string;
}

/**
 * Conditions on a row for a set of attributes, as they identify a related object: fields of the model, references by
 * nested attributes, and paths with `__` (contract 1.10).
 *
 * @throws InputProblem when an attribute does not exist or a value does not fit it
 */
export function attributeConditions(
  model: ModelDefinition,
  attributes: Readonly<Record<string, unknown>>,
  place: Place,
): Sql[] {
  return Object.entries(attributes).map(([key, value]) => {
    const [head = '', ...rest] = key.split('__');
    if (rest.length > 0) return onRelated(model, head, { [rest.join('__')]: value }, place);
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return onRelated(model, head, { ...value }, place);
    return onColumn(model, head, value, place);
  });
}

function onRelated(model: ModelDefinition, name: string, nested: Record<string, unknown>, place: Place): Sql {
  const field = model.fields[name];
  const [type] = field?.relation?.kind === 'ref' ? field.relation.targets : [];
  const target = type === undefined ? null : place.registry.find(type);
  if (target === null) throw unknownKeyword(model, name);
  const alias = `${place.alias}_`;
  const conditions = attributeConditions(target, nested, { ...place, alias });
  return `${place.alias}."${name}_id" IN (SELECT ${alias}.id FROM ${target.table} ${alias} WHERE ${['true', ...conditions].join(' AND ')})`;
}

function onColumn(model: ModelDefinition, name: string, value: unknown, { alias, parameters }: Place): Sql {
  const field = model.fields[name];
  const column = name === 'id' || name === 'pk' ? { name: 'id', type: 'bigint' } : field?.column(name);
  if (column === undefined || column === null || field?.traits.writeOnly === true) throw unknownKeyword(model, name);
  const own = `${alias}."${column.name}"`;
  if (value === null) return `${own} IS NULL`;
  const given = String(value);
  if (given.includes('\0')) return 'false';
  // Compared as text, a value that no row can have finds nothing instead of failing to convert.
  if (column.type === 'bigint') return `${own}::text = ${parameters.add(given.trim(), 'text')}`;
  return `${own}::text = ${parameters.add(given, 'text')}`;
}

function unknownKeyword(model: ModelDefinition, name: string): Error {
  const known = Object.entries(model.fields)
    .filter(([fieldName, field]) => fieldName === 'id' || field.column(fieldName) !== null)
    .map(([fieldName]) => fieldName)
    .toSorted();
  return refuse(`Cannot resolve keyword '${name}' into field. Choices are: ${known.join(', ')}`);
}
