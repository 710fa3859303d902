import type { Field } from '../declaration/field.js';
import { nestedSchema } from '../meta/component-schemas.js';
import { nestedObject } from '../read/representation.js';
import { assemble, literal, sql, text } from '../sql/pieces.js';
import { refuse } from '../write/input-problem.js';
import { columnOf, traits } from './traits.js';

/** A reference to an object of one of several models. */
export interface GenericOptions {
  /** Field that holds `<app>.<model>`. */
  readonly type: string;
  /** Field that holds the id. */
  readonly id: string;
  readonly allowed: readonly string[];
  readonly onDelete?: 'protect' | 'cascade' | 'set_null';
}

/**
 * The object that a pair of type and id points to, nested; null when there is none. Both parts are checked before a
 * write: both or neither, and the object must exist (contract 1.10).
 */
export function genericObject(options: GenericOptions): Field<null> {
  return {
    kind: 'genericObject',
    traits: traits({ readOnly: true, nullable: true }, null),
    column: () => null,
    json: (place) => {
      const targets = options.allowed.flatMap((type) => place.scope.registry.find(type) ?? []);
      if (targets.length === 0) return [text('null')];
      const cases = targets.map((target) => {
        const alias = place.scope.alias();
        const shape = assemble(nestedObject(target, alias, place.scope));
        const own = columnOf(place, options.id);
        return `WHEN ${literal(target.type)} THEN (SELECT ${shape} FROM ${target.table} ${alias} WHERE ${alias}.id = ${own})`;
      });
      return [sql(`coalesce(CASE ${columnOf(place, options.type)} ${cases.join(' ')} END, 'null')`)];
    },
    snapshot: () => null,
    input: () => {
      throw refuse('This field cannot be written.');
    },
    schema: {
      read: (registry) => {
        const targets = options.allowed.flatMap((type) => registry.find(type) ?? []);
        return { anyOf: [...targets.map(nestedSchema), { type: 'null' }] };
      },
      write: () => ({}),
    },
    metadata: { type: 'field' },
    filters: () => [],
    order: () => [],
    relation: {
      kind: 'generic',
      targets: options.allowed,
      onDelete: options.onDelete ?? 'cascade',
      typeField: options.type,
      idField: options.id,
    },
  };
}
