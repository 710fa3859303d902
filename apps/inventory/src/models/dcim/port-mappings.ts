import type { ModelField } from '../../engine/declaration/field.js';
import type { ModelConstraint } from '../../engine/declaration/define-model.js';
import { manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { rowListField, type RowListItem } from '../../engine/field-types/list-of-rows.js';
import { addFiltersToField } from '../../engine/field-types/field-traits.js';

type PortMappingSide = 'front_port' | 'rear_port';

/**
 * Creates the field that maps the positions of a port to positions of ports on the other side of the panel, and its
 * filters.
 *
 * @param table table of the mappings
 * @param to `<app>.<model>` of the ports on the other side
 */
export function createPortMappingsField(
  table: string,
  own: PortMappingSide,
  to: string,
): ModelField<readonly RowListItem[]> {
  const other = own === 'front_port' ? 'rear_port' : 'front_port';
  const bounds = { min: 1, max: 1024 };
  const field = rowListField({
    table,
    own: `${own}_id`,
    parts: {
      position: { column: `${own}_position`, ...bounds },
      [other]: { column: `${other}_id`, to },
      [`${other}_position`]: { column: `${other}_position`, ...bounds, default: 1 },
    },
  });
  return addFiltersToField(field, (_model, registry) => {
    const target = registry.find(to);
    return target === null
      ? []
      : manyToManyFilters(other, target, { table, own: `${own}_id`, other: `${other}_id` }, null);
  });
}

/**
 * Returns the database constraints of port mappings, whose errors are reported for the field `key`.
 *
 * @param table table of the mappings
 * @param ports table of the ports that have the field
 */
export function createPortMappingConstraints(
  table: string,
  ports: string,
  key: 'front_ports' | 'rear_ports',
): ModelConstraint[] {
  const sides = ['front', 'rear'] as const;
  return [
    ...sides.map((side) => ({
      name: `${table}_${side}_port_id_${side}_port_position_key`,
      key,
      message: `A position of a ${side} port can be mapped only once.`,
    })),
    { name: `${table}_apart`, key },
    { name: `${table}_no_position`, key },
    { name: `${ports}_positions_mapped`, key: 'positions' },
  ];
}
