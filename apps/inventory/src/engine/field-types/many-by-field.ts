import type { Field } from '../declaration/field.js';
import { sql } from '../sql/pieces.js';
import { refuse, typeName } from '../write/input-problem.js';
import { RelatedLookup } from '../write/related-lookup.js';
import { many, type ManyOptions } from './many.js';

/**
 * Creates a relation like {@link many} whose objects are shown and written as texts: the values of one of their fields,
 * such as `slug`.
 */
export function manyByField(type: string, by: string, options: ManyOptions): Field<readonly number[]> {
  const { join } = options;
  const texts = { type: 'array', items: { type: 'string' } };
  const unknown = (attributes: Readonly<Record<string, unknown>>): string =>
    `Object with ${by}=${String(attributes[by])} does not exist.`;
  return {
    ...many(type, options),
    json: ({ scope, alias }) => {
      const target = scope.registry.find(type);
      if (target === null) return [sql(`'[]'`)];
      const [pair, other] = [scope.alias(), scope.alias()];
      return [
        sql(
          `coalesce((SELECT json_agg(${other}."${by}" ORDER BY ${other}."${by}")::text FROM ${join.table} ${pair}
            JOIN ${target.table} ${other} ON ${other}.id = ${pair}.${join.other} WHERE ${pair}.${join.own} = ${alias}.id), '[]')`,
        ),
      ];
    },
    input: (value) => {
      if (value === null) throw refuse('This field may not be null.');
      if (!Array.isArray(value)) throw refuse(`Expected a list of items but got type "${typeName(value)}".`);
      const keys = value.map((item: unknown) => {
        if (typeof item !== 'string' || item.includes('\0') || !item.isWellFormed()) throw refuse('Invalid value.');
        return { attributes: { [by]: item } };
      });
      return keys.length === 0 ? [] : new RelatedLookup(type, keys, { many: true, unknown });
    },
    schema: { read: () => texts, write: () => texts },
    metadata: { type: 'field' },
  };
}
