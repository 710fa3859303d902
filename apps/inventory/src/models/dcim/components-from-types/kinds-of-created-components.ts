import { companionsTable } from '../../../engine/declaration/companion-objects.js';
import { sqlIdentifier, type SqlText } from '../../../engine/sql/json-text-sql.js';

/** A kind of component, such as interfaces, that devices and modules get from the templates of their type. */
export interface ComponentKind {
  /** Model of the components, as `<app>.<model>`. */
  readonly type: string;
  /** Name of the kind in error messages, as in `A ConsolePort named con0 already exists`. */
  readonly objectName: string;
  readonly table: string;
  readonly templates: string;
  /** Names of the columns that are copied from the template `t`. */
  readonly copied: readonly string[];
  /**
   * SQL expressions of other columns of a component, by column name. They may refer to the template `t`, the owner `o`
   * and the tables of {@link joins}.
   */
  readonly made?: Readonly<Record<string, SqlText>>;
  /** SQL joins of other components of the same device or module that a component refers to. */
  readonly joins?: SqlText;
  /** True if the names of the kind's templates may contain placeholders such as `{module}`. */
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

/** Returns the SQL expression of a template's text with its placeholders replaced, for a component of the owner `o`. */
export function resolvePlaceholdersSql(text: SqlText): SqlText {
  return `dcim_component_text(${text}, o.vc_position, o.bay_positions)`;
}

/**
 * Returns the SQL join of the component of the owner `o` that was created from the template `template`. The component
 * is not found by its name, because another transaction may rename a template between two statements.
 */
export function joinCreatedComponentSql(alias: string, type: SqlText, template: SqlText): SqlText {
  return `JOIN ${companionsTable} ${alias} ON ${alias}.owner = o.id AND ${alias}.type = ${type}
    AND ${alias}.source = ${template} AND ${alias}.change <> 'connected'`;
}

const consolePortKind = defineComponentKind('ConsolePort', ['type']);
const consoleServerPortKind = defineComponentKind('ConsoleServerPort', ['type']);
const powerPortKind = defineComponentKind('PowerPort', ['type', 'maximum_draw', 'allocated_draw']);
const powerOutletKind = defineComponentKind('PowerOutlet', ['type', 'color', 'feed_leg'], {
  made: { power_port_id: 'pp.id' },
  joins: `LEFT ${joinCreatedComponentSql('pp', "'dcim.powerport'", 't.power_port_id')}`,
});
const interfaceKind = defineComponentKind('Interface', [
  'type',
  'enabled',
  'mgmt_only',
  'poe_mode',
  'poe_type',
  'rf_role',
]);
const rearPortKind = defineComponentKind('RearPort', ['type', 'color', 'positions']);
const frontPortKind = defineComponentKind('FrontPort', ['type', 'color', 'positions']);

/** Module bays as a kind of component. Their names are unique within a device or a module. */
export const moduleBayKind: ComponentKind = defineComponentKind('ModuleBay', ['enabled'], {
  made: { position: resolvePlaceholdersSql('t.position') },
});

/** Kinds of components, in the order in which devices get them (docs/contract/inventory.md 3.3). */
export const componentKindsOfDevices: readonly ComponentKind[] = [
  consolePortKind,
  consoleServerPortKind,
  powerPortKind,
  powerOutletKind,
  interfaceKind,
  rearPortKind,
  frontPortKind,
  moduleBayKind,
  defineComponentKind('DeviceBay', ['enabled'], { hasPlaceholders: false }),
];

/** Kinds of components, in the order in which modules get them (docs/contract/inventory.md 3.3). */
export const componentKindsOfModules: readonly ComponentKind[] = [
  consolePortKind,
  consoleServerPortKind,
  interfaceKind,
  powerPortKind,
  powerOutletKind,
  rearPortKind,
  frontPortKind,
  moduleBayKind,
];

/** Inventory items as a kind of component. They form a tree within a device and are created after all other kinds. */
export const inventoryItemKind: ComponentKind = defineComponentKind(
  'InventoryItem',
  ['role_id', 'manufacturer_id', 'part_id', 'description'],
  { hasPlaceholders: false },
);

/** Returns the columns of a component that its template determines, with their SQL expressions. */
export function templateColumnsSql({
  copied,
  made = {},
  hasPlaceholders,
}: ComponentKind): Readonly<Record<string, SqlText>> {
  const text = (column: string): SqlText => (hasPlaceholders ? resolvePlaceholdersSql(column) : column);
  const same = Object.fromEntries(copied.map((name) => [name, `t.${sqlIdentifier(name)}`]));
  return { name: text('t.name'), label: text('t.label'), ...same, ...made };
}
