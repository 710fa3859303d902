import { temporaryCompanionObjectsTableName } from '../../../engine/declaration/companion-objects.js';
import { quoteSqlIdentifier, type SqlText } from '../../../engine/sql/json-text-sql.js';

/** A kind of component, such as interfaces, that devices and modules get from the templates of their type. */
export interface ComponentKind {
  /** Model of the components of this kind, as `<app>.<model>`. */
  readonly type: string;
  /**
   * Name of the kind of component in error messages, such as `ConsolePort` in
   * `A ConsolePort named con0 already exists`.
   */
  readonly objectName: string;
  readonly table: string;
  readonly templates: string;
  /** Names of the columns whose values are copied from the component template `t` to the component. */
  readonly copied: readonly string[];
  /**
   * SQL expressions of other columns of a component, by column name. The expressions may refer to the template `t`, to
   * the device or module `o`, and to the tables of {@link joins}.
   */
  readonly made?: Readonly<Record<string, SqlText>>;
  /** SQL joins of other components of the same device or module to which a component of this kind refers. */
  readonly joins?: SqlText;
  /** True if names of component templates of this kind may contain placeholders such as `{module}`. */
  readonly hasPlaceholders: boolean;
}

function defineComponentKind(
  objectName: string,
  copied: readonly string[],
  options: Partial<ComponentKind> = {},
): ComponentKind {
  const model = objectName.toLowerCase();
  const table = `dcim_${model}`;
  return {
    type: `dcim.${model}`,
    objectName,
    table,
    templates: `${table}template`,
    copied,
    hasPlaceholders: true,
    ...options,
  };
}

/**
 * Returns the SQL expression of a component template's text in which the placeholders are replaced. The values come
 * from `o`, the device or module of the component.
 */
export function createResolvedPlaceholdersSql(text: SqlText): SqlText {
  return `dcim_component_text(${text}, o.vc_position, o.bay_positions)`;
}

/**
 * Returns the SQL join of the component of `o`, a device or module, that was created from the template `template`. The
 * join does not use the component's name, because another transaction may rename a template between two statements.
 */
export function createCreatedComponentJoinSql(alias: string, type: SqlText, template: SqlText): SqlText {
  return `JOIN ${temporaryCompanionObjectsTableName} ${alias} ON ${alias}.owner = o.id AND ${alias}.type = ${type}
    AND ${alias}.source = ${template} AND ${alias}.change <> 'connected'`;
}

const consolePortComponentKind = defineComponentKind('ConsolePort', ['type']);
const consoleServerPortComponentKind = defineComponentKind('ConsoleServerPort', ['type']);
const powerPortComponentKind = defineComponentKind('PowerPort', ['type', 'maximum_draw', 'allocated_draw']);
const powerOutletComponentKind = defineComponentKind('PowerOutlet', ['type', 'color', 'feed_leg'], {
  made: { power_port_id: 'pp.id' },
  joins: `LEFT ${createCreatedComponentJoinSql('pp', "'dcim.powerport'", 't.power_port_id')}`,
});
const interfaceComponentKind = defineComponentKind('Interface', [
  'type',
  'enabled',
  'mgmt_only',
  'poe_mode',
  'poe_type',
  'rf_role',
]);
const rearPortComponentKind = defineComponentKind('RearPort', ['type', 'color', 'positions']);
const frontPortComponentKind = defineComponentKind('FrontPort', ['type', 'color', 'positions']);

/** Definition of module bays as a kind of component. The name of a module bay is unique within its device or module. */
export const moduleBayComponentKind: ComponentKind = defineComponentKind('ModuleBay', ['enabled'], {
  made: { position: createResolvedPlaceholdersSql('t.position') },
});

/** Kinds of components that devices get, in the order in which they are created (docs/contract/inventory.md 3.3). */
export const componentKindsOfDevices: readonly ComponentKind[] = [
  consolePortComponentKind,
  consoleServerPortComponentKind,
  powerPortComponentKind,
  powerOutletComponentKind,
  interfaceComponentKind,
  rearPortComponentKind,
  frontPortComponentKind,
  moduleBayComponentKind,
  defineComponentKind('DeviceBay', ['enabled'], { hasPlaceholders: false }),
];

/** Kinds of components that modules get, in the order in which they are created (docs/contract/inventory.md 3.3). */
export const componentKindsOfModules: readonly ComponentKind[] = [
  consolePortComponentKind,
  consoleServerPortComponentKind,
  interfaceComponentKind,
  powerPortComponentKind,
  powerOutletComponentKind,
  rearPortComponentKind,
  frontPortComponentKind,
  moduleBayComponentKind,
];

/**
 * Definition of inventory items as a kind of component. The inventory items of a device form a tree, and are created
 * after all other kinds of components.
 */
export const inventoryItemComponentKind: ComponentKind = defineComponentKind(
  'InventoryItem',
  ['role_id', 'manufacturer_id', 'part_id', 'description'],
  { hasPlaceholders: false },
);

/** Returns SQL expressions, by column name, for the columns of a component whose values its template determines. */
export function createTemplateColumnsSql({
  copied,
  made = {},
  hasPlaceholders,
}: ComponentKind): Readonly<Record<string, SqlText>> {
  const text = (column: string): SqlText => (hasPlaceholders ? createResolvedPlaceholdersSql(column) : column);
  const same = Object.fromEntries(copied.map((name) => [name, `t.${quoteSqlIdentifier(name)}`]));
  return { name: text('t.name'), label: text('t.label'), ...same, ...made };
}
