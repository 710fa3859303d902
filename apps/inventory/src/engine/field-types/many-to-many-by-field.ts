import type { ModelField } from '../declaration/field.js';
import { createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem, getJsonTypeName } from '../write/invalid-input-problem.js';
import { RelatedObjectLookup } from '../write/related-lookup.js';
import { manyToManyField, type ManyToManyFieldOptions } from './many-to-many.js';

/**
 * Creates a many-to-many relation like {@link manyToManyField}. Responses and requests represent each related object by
 * the value of one of its fields, such as `slug`.
 */
export function manyToManyShownByFieldName(
  type: string,
  by: string,
  options: ManyToManyFieldOptions,
): ModelField<readonly number[]> {
  const { join } = options;
  const texts = { type: 'array', items: { type: 'string' } };
  const unknown = (attributes: Readonly<Record<string, unknown>>): string =>
    `Object with ${by}=${String(attributes[by])} does not exist.`;
  return {
    ...manyToManyField(type, options),
    json: ({ scope, alias }) => {
      const target = scope.registry.find(type);
      if (target === null) return [createComputedJsonFragment(`'[]'`)];
      const [pair, other] = [scope.alias(), scope.alias()];
      return [
        createComputedJsonFragment(
          `coalesce((SELECT json_agg(${other}."${by}" ORDER BY ${other}."${by}")::text FROM ${join.table} ${pair}
            JOIN ${target.table} ${other} ON ${other}.id = ${pair}.${join.other} WHERE ${pair}.${join.own} = ${alias}.id), '[]')`,
        ),
      ];
    },
    input: (value) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (!Array.isArray(value))
        throw createInvalidInputProblem(`Expected a list of items but got type "${getJsonTypeName(value)}".`);
      const keys = value.map((item: unknown) => {
        if (typeof item !== 'string' || item.includes('\0') || !item.isWellFormed())
          throw createInvalidInputProblem('Invalid value.');
        return { attributes: { [by]: item } };
      });
      return keys.length === 0 ? [] : new RelatedObjectLookup(type, keys, { many: true, unknown });
    },
    schema: { read: () => texts, write: () => texts },
    metadata: { type: 'field' },
  };
}
