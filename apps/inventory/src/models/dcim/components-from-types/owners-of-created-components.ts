import type { CompanionWrite } from '../../../engine/declaration/companion-objects.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import {
  type ComponentKind,
  componentKindsOfDevices,
  inventoryItemKind,
  componentKindsOfModules,
} from './kinds-of-created-components.js';

/** New objects that get components from the templates of their type: devices or modules. */
export interface ComponentOwners {
  /**
   * Name of the column with the device type or module type, in the table of the new objects and in the tables of
   * templates.
   */
  readonly sql: SqlText;
  /** Name of the column with the device type or module type, both of the new objects and of the templates. */
  readonly typeColumn: 'device_type_id' | 'module_type_id';
  readonly kinds: readonly ComponentKind[];
  /** SQL expression of the id of the module that components belong to in addition to their device; null for devices. */
  readonly adopts: boolean;
  /** Returns the values of the parameters of {@link sql} from `$3` on. */
  readonly module: SqlText | null;
  /** Returns the error message for a component with the name of an existing component of the device. */
  parameters(write: CompanionWrite): readonly unknown[];
  /** Returns the error message for a component whose name another component of the device has. */
  conflict(kind: Pick<ComponentKind, 'objectName'>, name: string): string;
}

/** SQL expression of the position of the device `d` in its virtual chassis, for placeholders in names of components. */
export const chassisPositionSql: SqlText =
  'CASE WHEN d.virtual_chassis_id IS NOT NULL THEN d.vc_position END AS vc_position';

/**
 * SQL expression of the positions of a module's bay `b` and of the bays above it, from the topmost bay down. The
 * positions replace placeholders in the names of components.
 */
export const bayPositionsSql: SqlText = `ARRAY(SELECT p.position::text FROM unnest(b._path) WITH ORDINALITY AS above (id, depth)
    JOIN dcim_modulebay p ON p.id = above.id ORDER BY above.depth) AS bay_positions`;

/** New devices, which get components from the templates of their device type. */
export const deviceOwners: ComponentOwners = {
  sql: `o AS MATERIALIZED (
    SELECT d.id, d.id AS device_id, d.device_type_id, ${chassisPositionSql}, NULL::text[] AS bay_positions
    FROM dcim_device d WHERE d.id = ANY ($1::bigint[])
  )`,
  typeColumn: 'device_type_id',
  kinds: [...componentKindsOfDevices, inventoryItemKind],
  adopts: false,
  module: null,
  parameters: () => [],
  conflict: (_, name) => `Component name conflict after resolving {vc_position}: ${name}`,
};

/**
 * Returns the component options in the request for a new module: whether the module gets new components, and whether it
 * adopts existing ones.
 */
export function moduleComponentOptions(sent: Readonly<Record<string, unknown>>): {
  replicates: boolean;
  adopts: boolean;
} {
  return { replicates: sent['replicate_components'] !== false, adopts: sent['adopt_components'] === true };
}

/** New modules, which get components from the templates of their module type. */
export const moduleOwners: ComponentOwners = {
  sql: `o AS MATERIALIZED (
    SELECT m.id, m.device_id, m.module_type_id, m.module_bay_id, g.replicates, g.adopts, ${chassisPositionSql}, ${bayPositionsSql}
    FROM unnest($1::bigint[], $3::boolean[], $4::boolean[]) AS g (id, replicates, adopts)
      JOIN dcim_module m ON m.id = g.id JOIN dcim_device d ON d.id = m.device_id
      JOIN dcim_modulebay b ON b.id = m.module_bay_id
  )`,
  typeColumn: 'module_type_id',
  kinds: componentKindsOfModules,
  adopts: true,
  module: 'o.id',
  parameters({ given }) {
    const options = given.map(({ sent }) => moduleComponentOptions(sent));
    return [options.map(({ replicates }) => replicates), options.map(({ adopts }) => adopts)];
  },
  conflict: ({ objectName }, name) => `A ${objectName} named ${name} already exists`,
};
