import type { Tx } from '@switchboard/database';
import { translateDatabaseError } from '@switchboard/errors';
import type { CompanionCounts, Companions, CompanionWrite } from '../../../engine/declaration/companions.js';
import { companionsTable } from '../../../engine/declaration/companions.js';
import type { Sql } from '../../../engine/sql/pieces.js';
import { prepared } from '../../../engine/sql/statement.js';
import { errors } from '../../../errors.js';
import { type ComponentKind, componentKinds, inventoryItems, resolved, templateColumns } from './component-kinds.js';

const kinds = [...componentKinds, inventoryItems];

/** The new devices `$1`, each with the position that placeholders stand for. */
const owners: Sql = `o AS MATERIALIZED (
    SELECT d.id AS device_id, d.device_type_id, CASE WHEN d.virtual_chassis_id IS NOT NULL THEN d.vc_position END AS vc_position
    FROM dcim_device d WHERE d.id = ANY ($1::bigint[])
  )`;

const counting: Sql = kinds
  .map(
    ({ type, templates }) =>
      `SELECT '${type}' AS type, device_type_id, count(*) AS n FROM ${templates} WHERE device_type_id = ANY ($1::bigint[]) GROUP BY device_type_id`,
  )
  .concat(
    `SELECT 'bridges' AS type, device_type_id, count(*) AS n FROM dcim_interfacetemplate
      WHERE device_type_id = ANY ($1::bigint[]) AND bridge_id IS NOT NULL GROUP BY device_type_id`,
  )
  .join(' UNION ALL ');

/** The number of templates of a kind that a device type has. */
type Count = readonly [type: string, deviceType: number, templates: number];

async function count(tx: Tx, rows: readonly Readonly<Record<string, unknown>>[]): Promise<CompanionCounts> {
  const deviceTypes = [...new Set(rows.map((row) => row['device_type_id']))];
  const { rows: counts } = await tx.query<Count>(prepared(counting, [deviceTypes]));
  const components = counts.filter(([type]) => type !== 'bridges');
  const sums = sumsByType(components);
  return {
    types: new Set(kinds.flatMap(({ type }) => (components.some(([counted]) => counted === type) ? [type] : []))),
    total: rows.reduce((sum, row) => sum + (sums.get(Number(row['device_type_id'])) ?? 0), 0),
    most: Math.max(0, ...sums.values()),
    mostConnected: Math.max(0, ...sumsByType(counts.filter(([type]) => type === 'bridges')).values()),
  };
}

/** Returns the number of templates of each device type. */
function sumsByType(counts: readonly Count[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [, deviceType, templates] of counts) sums.set(deviceType, (sums.get(deviceType) ?? 0) + templates);
  return sums;
}

/** Inserts the components of one kind, in the order of devices and of the templates' names. */
function insertionOf(kind: ComponentKind, step: number): Sql {
  const columns = templateColumns(kind);
  return `WITH ${owners}, made AS (
      INSERT INTO ${kind.table} (device_id, custom_field_data, ${Object.keys(columns).join(', ')})
      SELECT o.device_id, $2::jsonb, ${Object.values(columns).join(', ')}
      FROM o JOIN ${kind.templates} t ON t.device_type_id = o.device_type_id
      ORDER BY o.device_id, t.name, t.id RETURNING id, device_id
    ) INSERT INTO ${companionsTable} (owner, step, type, id) SELECT device_id, ${step}, '${kind.type}', id FROM made`;
}

/** The component of a device `o` that was made from the template which an inventory item's template `t` names. */
const itemComponent: Sql = `CASE t.component_type ${componentKinds
  .filter(({ hasPlaceholders, type }) => hasPlaceholders && type !== 'dcim.modulebay')
  .map(
    ({ table, templates, type }) => `WHEN '${type}template' THEN (SELECT c.id FROM ${templates} ct
      JOIN ${table} c ON c.device_id = o.device_id AND c.name = ${resolved('ct.name')} WHERE ct.id = t.component_id)`,
  )
  .join(' ')} END`;

/** Inserts the inventory items, parents first. */
function inventoryInsertion(step: number): Sql {
  const columns = Object.entries(templateColumns(inventoryItems));
  return `WITH ${owners}, found AS (
      SELECT o.device_id, t.id AS template_id, t.parent_id, t.component_type, ${itemComponent} AS component_id,
        ${columns.map(([name, value]) => `${value} AS ${name}`).join(', ')}
      FROM o JOIN ${inventoryItems.templates} t ON t.device_type_id = o.device_type_id
      ORDER BY o.device_id, t._depth, t.id
    ), n AS MATERIALIZED (SELECT nextval('dcim_inventoryitem_id_seq') AS id, found.* FROM found), made AS (
      INSERT INTO dcim_inventoryitem (id, device_id, custom_field_data, parent_id, component_type, component_id,
        ${columns.map(([name]) => name).join(', ')})
      SELECT n.id, n.device_id, $2::jsonb, p.id,
        CASE WHEN n.component_id IS NOT NULL THEN replace(n.component_type, 'template', '') END, n.component_id,
        ${columns.map(([name]) => `n.${name}`).join(', ')}
      FROM n LEFT JOIN n p ON p.device_id = n.device_id AND p.template_id = n.parent_id
      ORDER BY n.id RETURNING id, device_id
    ) INSERT INTO ${companionsTable} (owner, step, type, id) SELECT device_id, ${step}, 'dcim.inventoryitem', id FROM made`;
}

const mapping: Sql = `WITH ${owners}
  INSERT INTO dcim_portmapping (front_port_id, front_port_position, rear_port_id, rear_port_position)
  SELECT f.id, m.front_port_position, r.id, m.rear_port_position
  FROM o JOIN dcim_frontporttemplate ft ON ft.device_type_id = o.device_type_id
    JOIN dcim_porttemplatemapping m ON m.front_port_id = ft.id
    JOIN dcim_rearporttemplate rt ON rt.id = m.rear_port_id
    JOIN dcim_frontport f ON f.device_id = o.device_id AND f.name = ${resolved('ft.name')}
    JOIN dcim_rearport r ON r.device_id = o.device_id AND r.name = ${resolved('rt.name')}
  ORDER BY f.id, m.front_port_position`;

/** Statements that insert the components of a kind, for the devices `$1` with the values of custom fields `$2`. */
const insertions: ReadonlyMap<string, Sql> = new Map([
  ...componentKinds.map((kind, step) => [kind.type, insertionOf(kind, step)] as const),
  [inventoryItems.type, inventoryInsertion(componentKinds.length)] as const,
]);

/** The triggers of trees take no lock for trees that no other transaction sees. */
const createsTrees = (isOn: boolean): Sql =>
  `SELECT set_config('inventory.creates_trees', '${isOn ? 'on' : 'off'}', true)`;

async function insert(tx: Tx, { owners: devices, counts, customFields }: CompanionWrite): Promise<void> {
  const { types } = counts;
  await tx.query(createsTrees(true));
  for (const [type, insertion] of insertions) {
    if (!types.has(type)) continue;
    try {
      await tx.query(prepared(insertion, [devices, customFields(type)]));
    } catch (error) {
      throw conflictOf(error) ?? error;
    }
  }
  await tx.query(createsTrees(false));
  if (types.has('dcim.frontport')) await tx.query(prepared(mapping, [devices]));
  if (types.has('dcim.modulebay')) await refuseEqualBays(tx, devices);
}

/** Refuses two module bays of one name, which the database accepts. */
async function refuseEqualBays(tx: Tx, devices: readonly number[]): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM dcim_modulebay WHERE device_id = ANY ($1::bigint[]) GROUP BY device_id, name HAVING count(*) > 1 LIMIT 1`,
    [devices],
  );
  const [bay] = rows;
  if (bay !== undefined) throw errors.create('REQUEST_ABORTED', { message: conflictMessage(bay.name) });
}

function conflictMessage(name: string): string {
  return `Component name conflict after resolving {vc_position}: ${name}`;
}

/** Returns the refusal of two templates that make components of one name; null for any other error. */
function conflictOf(error: unknown): Error | null {
  const fault = translateDatabaseError(error);
  const key = /^Key \(device_id, name\)=\(\d+, (?<name>.*)\) already exists\.$/su.exec(fault?.detail ?? '');
  const name = key?.groups?.['name'];
  if (fault?.kind !== 'unique' || name === undefined) return null;
  return errors.create('REQUEST_ABORTED', { message: conflictMessage(name), cause: error });
}

const bridging: Sql = `WITH ${owners}, bridged AS (
    UPDATE dcim_interface i SET bridge_id = b.id, last_updated = clock_timestamp()
    FROM o JOIN dcim_interfacetemplate t ON t.device_type_id = o.device_type_id
      JOIN dcim_interfacetemplate bt ON bt.id = t.bridge_id
      JOIN dcim_interface b ON b.device_id = o.device_id AND b.name = ${resolved('bt.name')}
    WHERE i.device_id = o.device_id AND i.name = ${resolved('t.name')} RETURNING i.id, i.device_id
  ) INSERT INTO ${companionsTable} (owner, step, type, id, is_update)
    SELECT device_id, 0, 'dcim.interface', id, true FROM bridged`;

/** The components that new devices get from the templates of their types. */
export const componentsOfDevice: Companions = {
  count,
  insert,
  async connect(tx, { owners: devices }) {
    await tx.query(prepared(bridging, [devices]));
  },
};
