import type { ListFilter, ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { filterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { quoteSqlLiteral, type SqlText } from '../../engine/sql/json-text-sql.js';
import { interfaceL2vpnFilters, createInterfaceVlanFilters } from '../interface-fields.js';
import { isVirtualInterface, isWirelessInterface } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';

/**
 * Returns the SQL condition that an interface belongs to one of the given devices or to another member of its virtual
 * chassis. A management interface must belong to a given device itself. With `onlyOfMaster`, the interfaces of other
 * members count only if the given device is the master of the chassis.
 */
function createChassisMemberCondition(alias: string, ids: SqlText, onlyOfMaster: boolean): SqlText {
  const master = onlyOfMaster
    ? ' JOIN dcim_virtualchassis c ON c.id = own.virtual_chassis_id AND c.master_id = own.id'
    : '';
  return `(${alias}.device_id = ANY (${ids}) OR (NOT ${alias}.mgmt_only AND ${alias}.device_id IN (SELECT peer.id
    FROM dcim_device own${master} JOIN dcim_device peer ON peer.virtual_chassis_id = own.virtual_chassis_id
    WHERE own.id = ANY (${ids}))))`;
}

const chassisMemberFilters = [
  ['virtual_chassis_member', false],
  ['virtual_chassis_member_or_master', true],
] as const;

const interfaceKindPredicates: Readonly<Record<string, (type: string) => boolean>> = {
  physical: (type) => !isVirtualInterface(type) && !isWirelessInterface(type),
  virtual: isVirtualInterface,
  wireless: isWirelessInterface,
};

/** Filter of interfaces by kind of interface, such as `physical`. A kind that does not exist matches no interfaces. */
const interfaceKindFilter: ListFilter = {
  name: 'kind',
  lookups: [],
  multiple: false,
  schema: { type: 'string' },
  compile: ({ alias, values }) => {
    const isOfKind = new Map(Object.entries(interfaceKindPredicates)).get((values.at(-1) ?? '').trim().toLowerCase());
    if (isOfKind === undefined) return 'false';
    return `${alias}.type IN (${Object.keys(interfaceTypes).filter(isOfKind).map(quoteSqlLiteral).join(', ')})`;
  },
};

const referencePathToCircuitTerminations = resolveStepToReferringObjects(
  'circuits.virtualcircuittermination',
  'interface',
);

/** Filters of interfaces by related objects, and by properties that are not fields of the model of interfaces. */
export const interfaceFilters: readonly (ListFilter | ModelFilterFactory)[] = [
  ...createInterfaceVlanFilters({ table: 'dcim_interface_tagged_vlans', own: 'interface_id' }),
  ...interfaceL2vpnFilters,
  ...chassisMemberFilters.flatMap(([name, onlyOfMaster]) => {
    const matches = (alias: string, ids: SqlText): SqlText => createChassisMemberCondition(alias, ids, onlyOfMaster);
    const devices = { table: 'dcim_device' };
    return [
      filterIgnoringUnknownIds(name, devices, 'name', matches),
      filterIgnoringUnknownIds(`${name}_id`, devices, 'id', matches),
    ];
  }),
  interfaceKindFilter,
  relatedObjectFilter('vdc_identifier', 'vdcs', { by: 'identifier' }),
  relatedObjectFilter('virtual_circuit_id', [referencePathToCircuitTerminations, 'virtual_circuit']),
  relatedObjectFilter('virtual_circuit_termination_id', [referencePathToCircuitTerminations]),
];
