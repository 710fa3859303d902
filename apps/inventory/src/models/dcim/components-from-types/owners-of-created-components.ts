import type { CompanionObjectsWrite } from '../../../engine/declaration/companion-objects.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import {
  type ComponentKind,
  componentKindsOfDevices,
  inventoryItemComponentKind,
  componentKindsOfModules,
} from './kinds-of-created-components.js';

/** Properties of new objects that get components from the component templates of their type: devices or modules. */
export interface ComponentOwnerProperties {
  /**
   * SQL common table expression named `o` of the new devices or modules, with the columns that statements for their
   * components use.
   */
  readonly sql: SqlText;
  /**
   * Name of the column for the device type or module type. The table of the new objects and the tables of templates
   * have the same column.
   */
  readonly typeColumn: 'device_type_id' | 'module_type_id';
  readonly kinds: readonly ComponentKind[];
  /** True if new objects can adopt existing components of the device, as modules can. */
  readonly adopts: boolean;
  /**
   * SQL expression of the id of the module to which components belong in addition to their device; null for components
   * of devices.
   */
  readonly module: SqlText | null;
  /** Returns the values of the parameters of {@link sql} from `$3` on. */
  parameters(write: CompanionObjectsWrite): readonly unknown[];
  /** Returns the error message for a component whose name another component of the same device already has. */
  conflict(kind: Pick<ComponentKind, 'objectName'>, name: string): string;
}

/**
 * SQL expression of the position of the device `d` in its virtual chassis. The position replaces placeholders in names
 * of components.
 */
export const virtualChassisPositionSql: SqlText =
  'CASE WHEN d.virtual_chassis_id IS NOT NULL THEN d.vc_position END AS vc_position';

/**
 * SQL expression of the positions of the module bays above a module, outermost bay first: the bay `b` and all bays that
 * contain `b`. The positions replace placeholders in names of components.
 */
export const moduleBayPositionsSql: SqlText = `ARRAY(SELECT p.position::text FROM unnest(b._path) WITH ORDINALITY AS above (id, depth)
    JOIN dcim_modulebay p ON p.id = above.id ORDER BY above.depth) AS bay_positions`;

/** Properties of new devices, which get components from the component templates of their device type. */
export const deviceComponentOwnerProperties: ComponentOwnerProperties = {
  sql: `o AS MATERIALIZED (
    SELECT d.id, d.id AS device_id, d.device_type_id, ${virtualChassisPositionSql}, NULL::text[] AS bay_positions
    FROM dcim_device d WHERE d.id = ANY ($1::bigint[])
  )`,
  typeColumn: 'device_type_id',
  kinds: [...componentKindsOfDevices, inventoryItemComponentKind],
  adopts: false,
  module: null,
  parameters: () => [],
  conflict: (_, name) => `Component name conflict after resolving {vc_position}: ${name}`,
};

/**
 * Returns the options that a request for a new module contains: whether the module gets new components, and whether the
 * module adopts existing components.
 */
export function getModuleComponentOptions(sent: Readonly<Record<string, unknown>>): {
  replicates: boolean;
  adopts: boolean;
} {
  return { replicates: sent['replicate_components'] !== false, adopts: sent['adopt_components'] === true };
}

/** Properties of new modules, which get components from the component templates of their module type. */
export const moduleComponentOwnerProperties: ComponentOwnerProperties = {
  sql: `o AS MATERIALIZED (
    SELECT m.id, m.device_id, m.module_type_id, m.module_bay_id, g.replicates, g.adopts, ${virtualChassisPositionSql}, ${moduleBayPositionsSql}
    FROM unnest($1::bigint[], $3::boolean[], $4::boolean[]) AS g (id, replicates, adopts)
      JOIN dcim_module m ON m.id = g.id JOIN dcim_device d ON d.id = m.device_id
      JOIN dcim_modulebay b ON b.id = m.module_bay_id
  )`,
  typeColumn: 'module_type_id',
  kinds: componentKindsOfModules,
  adopts: true,
  module: 'o.id',
  parameters({ given }) {
    const options = given.map(({ sent }) => getModuleComponentOptions(sent));
    return [options.map(({ replicates }) => replicates), options.map(({ adopts }) => adopts)];
  },
  conflict: ({ objectName }, name) => `A ${objectName} named ${name} already exists`,
};
