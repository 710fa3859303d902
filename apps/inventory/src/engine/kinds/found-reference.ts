import type { Field } from '../declaration/field.js';
import { orNull } from '../meta/json-schema.js';
import { sql, type Sql, text } from '../sql/pieces.js';
import { computed } from './computed.js';
import { type Shape, shapeOf, shapeSchema } from './relation.js';

/**
 * An object whose id an expression finds, nested; read-only, null when there is none.
 *
 * @param id expression of the object's id, given the alias of the own table
 */
export function foundReference(type: string, id: (alias: string) => Sql, shape?: Shape): Field<never> {
  const { schema: _schema, ...field } = computed({
    json: (place) => {
      const target = place.scope.registry.find(type);
      if (target === null) return [text('null')];
      const alias = place.scope.alias();
      const shown = shapeOf(target, alias, place, shape);
      return [
        sql(`coalesce((SELECT ${shown} FROM ${target.table} ${alias} WHERE ${alias}.id = ${id(place.alias)}), 'null')`),
      ];
    },
    schema: {},
    metadataType: 'nested object',
    nullable: true,
  });
  return {
    ...field,
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return target === null ? { type: 'null' } : orNull(shapeSchema(target, registry, shape));
      },
      write: () => ({}),
    },
  };
}
