import { temporaryCompanionObjectsTableName } from '../../../engine/declaration/companion-objects.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import {
  type ComponentKind,
  inventoryItemComponentKind,
  createCreatedComponentJoinSql,
  moduleBayComponentKind,
  createResolvedPlaceholdersSql,
  createTemplateColumnsSql,
} from './kinds-of-created-components.js';
import type { ComponentOwnerProperties } from './owners-of-created-components.js';

/**
 * Returns the SQL statement that counts the component templates of the device types or module types `$1`. Also counts
 * the interface templates with a bridge.
 */
export function createTemplateCountStatement({ kinds, typeColumn }: ComponentOwnerProperties): SqlText {
  const count = (type: string, templates: string, condition = ''): SqlText =>
    `SELECT '${type}' AS type, ${typeColumn}, count(*) AS n FROM ${templates}
      WHERE ${typeColumn} = ANY ($1::bigint[])${condition} GROUP BY ${typeColumn}`;
  return [
    ...kinds.map(({ type, templates }) => count(type, templates)),
    count('bridges', 'dcim_interfacetemplate', ' AND bridge_id IS NOT NULL'),
  ].join(' UNION ALL ');
}

/**
 * Returns the SQL statement that inserts the components of one kind for new devices or modules. The rows are ordered by
 * device or module, and by the name of the template.
 */
export function createComponentInsertStatement(
  owners: ComponentOwnerProperties,
  kind: ComponentKind,
  step: number,
): SqlText {
  const columns: Readonly<Record<string, SqlText>> = {
    device_id: 'o.device_id',
    ...(owners.module === null ? {} : { module_id: owners.module }),
    ...createTemplateColumnsSql(kind),
  };
  const names = Object.keys(columns).join(', ');
  const adopted = `EXISTS (SELECT FROM ${temporaryCompanionObjectsTableName} c WHERE c.owner = o.id AND c.type = '${kind.type}' AND c.source = t.id)`;
  return `WITH ${owners.sql}, found AS (
      SELECT o.id AS owner, t.id AS source, ${quoteColumnNames(columns)}
      FROM o JOIN ${kind.templates} t ON t.${owners.typeColumn} = o.${owners.typeColumn} ${kind.joins ?? ''}
      ${owners.adopts ? `WHERE o.replicates AND NOT ${adopted}` : ''} ORDER BY o.id, t.name, t.id
    ), n AS MATERIALIZED (SELECT nextval('${kind.table}_id_seq') AS id, found.* FROM found), made AS (
      INSERT INTO ${kind.table} (id, custom_field_data, ${names}) SELECT id, $2::jsonb, ${names} FROM n ORDER BY id
    ) INSERT INTO ${temporaryCompanionObjectsTableName} (owner, step, type, id, source) SELECT owner, ${step}, '${kind.type}', id, source FROM n`;
}

function quoteColumnNames(columns: Readonly<Record<string, SqlText>>): SqlText {
  return Object.entries(columns)
    .map(([name, value]) => `${value} AS ${name}`)
    .join(', ');
}

/**
 * Returns the SQL statement that assigns existing components of the device to the modules that adopt them. The
 * parameter `$2` is unused.
 */
export function createComponentAdoptionStatement(
  owners: ComponentOwnerProperties,
  kind: ComponentKind,
  step: number,
): SqlText {
  // A trigger sets the place in the tree of bays if the statement sets this column.
  const parent = kind === moduleBayComponentKind ? ', parent_id = o.module_bay_id' : '';
  return `WITH ${owners.sql}, adopted AS (
      UPDATE ${kind.table} c SET module_id = o.id, last_updated = clock_timestamp()${parent}
      FROM o JOIN ${kind.templates} t ON t.${owners.typeColumn} = o.${owners.typeColumn}
      WHERE o.adopts AND c.device_id = o.device_id AND c.module_id IS NULL AND c.name = ${createResolvedPlaceholdersSql('t.name')}
        AND $2::jsonb IS NOT NULL
      RETURNING c.id, o.id AS owner, t.id AS source
    ) INSERT INTO ${temporaryCompanionObjectsTableName} (owner, step, type, id, source, change)
      SELECT owner, ${step}, '${kind.type}', id, source, 'adopted' FROM adopted`;
}

/** Returns the SQL statement that inserts the inventory items of new devices, parents before their children. */
export function createInventoryItemInsertStatement(owners: ComponentOwnerProperties, step: number): SqlText {
  const names = Object.keys(createTemplateColumnsSql(inventoryItemComponentKind));
  return `WITH ${owners.sql}, found AS (
      SELECT o.device_id, t.id AS template_id, t.parent_id, t.component_type, part.id AS component_id,
        ${quoteColumnNames(createTemplateColumnsSql(inventoryItemComponentKind))}
      FROM o JOIN ${inventoryItemComponentKind.templates} t ON t.device_type_id = o.device_type_id
        LEFT ${createCreatedComponentJoinSql('part', "replace(t.component_type, 'template', '')", 't.component_id')}
      ORDER BY o.device_id, t._depth, t.id
    ), n AS MATERIALIZED (SELECT nextval('dcim_inventoryitem_id_seq') AS id, found.* FROM found), made AS (
      INSERT INTO dcim_inventoryitem (id, device_id, custom_field_data, parent_id, component_type, component_id,
        ${names.join(', ')})
      SELECT n.id, n.device_id, $2::jsonb, p.id,
        CASE WHEN n.component_id IS NOT NULL THEN replace(n.component_type, 'template', '') END, n.component_id,
        ${names.map((name) => `n.${name}`).join(', ')}
      FROM n LEFT JOIN n p ON p.device_id = n.device_id AND p.template_id = n.parent_id
      ORDER BY n.id RETURNING id, device_id
    ) INSERT INTO ${temporaryCompanionObjectsTableName} (owner, step, type, id) SELECT device_id, ${step}, 'dcim.inventoryitem', id FROM made`;
}

/**
 * Returns the SQL statement that connects front ports with rear ports according to their templates. The parameter `$2`
 * is unused. Ports that a module adopts retain their connections, and may have fewer positions than the templates.
 */
export function createPortMappingStatement(owners: ComponentOwnerProperties): SqlText {
  return `WITH ${owners.sql}
    INSERT INTO dcim_portmapping (front_port_id, front_port_position, rear_port_id, rear_port_position)
    SELECT f.id, m.front_port_position, r.id, m.rear_port_position
    FROM o JOIN dcim_frontporttemplate ft ON ft.${owners.typeColumn} = o.${owners.typeColumn}
      JOIN dcim_porttemplatemapping m ON m.front_port_id = ft.id
      ${createCreatedComponentJoinSql('front', "'dcim.frontport'", 'm.front_port_id')} JOIN dcim_frontport f ON f.id = front.id
      ${createCreatedComponentJoinSql('rear', "'dcim.rearport'", 'm.rear_port_id')} JOIN dcim_rearport r ON r.id = rear.id
    WHERE $2::jsonb IS NOT NULL AND m.front_port_position <= f.positions AND m.rear_port_position <= r.positions
    ORDER BY f.id, m.front_port_position ${owners.adopts ? 'ON CONFLICT DO NOTHING' : ''}`;
}

/**
 * Returns the SQL statement that sets the bridge of each new interface according to its template. The parameter `$2` is
 * unused.
 */
export function createBridgeAssignmentStatement(owners: ComponentOwnerProperties): SqlText {
  return `WITH ${owners.sql}, bridged AS (
      UPDATE dcim_interface i SET bridge_id = bridge.id, last_updated = clock_timestamp()
      FROM o JOIN dcim_interfacetemplate t ON t.${owners.typeColumn} = o.${owners.typeColumn}
        ${createCreatedComponentJoinSql('made', "'dcim.interface'", 't.id')} ${createCreatedComponentJoinSql('bridge', "'dcim.interface'", 't.bridge_id')}
      WHERE i.id = made.id AND $2::jsonb IS NOT NULL
      RETURNING i.id, o.id AS owner
    ) INSERT INTO ${temporaryCompanionObjectsTableName} (owner, step, type, id, change)
      SELECT owner, 0, 'dcim.interface', id, 'connected' FROM bridged`;
}
