import { identifier, type Sql } from '../../../engine/sql/pieces.js';

/** A kind of component that devices get from the templates of their type. */
export interface ComponentKind {
  /** `<app>.<model>` */
  readonly type: string;
  readonly table: string;
  readonly templates: string;
  /** Columns that are copied from the template `t`. */
  readonly copied: readonly string[];
  /** Further columns: their names with expressions of the template `t` and the owner `o`. */
  readonly made?: Readonly<Record<string, Sql>>;
  /** True if the names of templates may have placeholders. */
  readonly hasPlaceholders: boolean;
}

function kind(model: string, copied: readonly string[], options: Partial<ComponentKind> = {}): ComponentKind {
  const table = `dcim_${model}`;
  return { type: `dcim.${model}`, table, templates: `${table}template`, copied, hasPlaceholders: true, ...options };
}

/** Returns the text of a template as that of a component of the owner `o`. */
export function resolved(text: Sql): Sql {
  return `dcim_component_text(${text}, o.vc_position)`;
}

const powerPort = `(SELECT c.id FROM dcim_powerporttemplate pt
  JOIN dcim_powerport c ON c.device_id = o.device_id AND c.name = ${resolved('pt.name')} WHERE pt.id = t.power_port_id)`;

/** The kinds of components, in the order in which devices get them (docs/contract/inventory.md 3.3). */
export const componentKinds: readonly ComponentKind[] = [
  kind('consoleport', ['type']),
  kind('consoleserverport', ['type']),
  kind('powerport', ['type', 'maximum_draw', 'allocated_draw']),
  kind('poweroutlet', ['type', 'color', 'feed_leg'], { made: { power_port_id: powerPort } }),
  kind('interface', ['type', 'enabled', 'mgmt_only', 'poe_mode', 'poe_type', 'rf_role']),
  kind('rearport', ['type', 'color', 'positions']),
  kind('frontport', ['type', 'color', 'positions']),
  kind('modulebay', ['enabled'], { made: { position: resolved('t.position') } }),
  kind('devicebay', ['enabled'], { hasPlaceholders: false }),
];

/** The kind of the parts of a device, which are a tree. They are made behind all other kinds. */
export const inventoryItems: ComponentKind = kind(
  'inventoryitem',
  ['role_id', 'manufacturer_id', 'part_id', 'description'],
  { hasPlaceholders: false },
);

/** Returns the columns of a component that its template gives, with their expressions. */
export function templateColumns({ copied, made = {}, hasPlaceholders }: ComponentKind): Readonly<Record<string, Sql>> {
  const text = (column: string): Sql => (hasPlaceholders ? resolved(column) : column);
  const same = Object.fromEntries(copied.map((name) => [name, `t.${identifier(name)}`]));
  return { name: text('t.name'), label: text('t.label'), ...same, ...made };
}
