import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { Filter, CreateFilters } from '../../engine/filter/filter-problem.js';
import { looseRelatedFilter, looseFilter } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { relatedFieldFilter } from '../../engine/filter/path-filter.js';
import {
  stepToGenericTarget,
  type ReferencePath,
  stepToReferringObjects,
} from '../../engine/filter/resolve-reference-path.js';
import type { Sql } from '../../engine/sql/json-text-sql.js';
import { cableEndTypes, deviceEndTypes } from './cable-end-types.js';

const terminationTable = { table: 'dcim_cabletermination' };

/** Returns the filter paths from a cable to the devices at its ends, or to objects related to these devices. */
const pathsViaDevices = (path: string): ReferencePath[] =>
  deviceEndTypes.map((type) => [stepToReferringObjects(type, 'cable'), path === '' ? 'device' : `device.${path}`]);

/** Returns the filter path from a cable to the power feed at its end, or to an object related to the power feed. */
const pathViaPowerFeed = (path: string): ReferencePath => [stepToReferringObjects('dcim.powerfeed', 'cable'), path];
const pathViaCircuit = (type: string, ...path: string[]): ReferencePath => [
  stepToReferringObjects('circuits.circuittermination', 'cable'),
  stepToGenericTarget('termination', type),
  ...path,
];

const pathsToRack: readonly [ReferencePath, ...ReferencePath[]] = [
  pathViaPowerFeed('rack'),
  ...pathsViaDevices('rack'),
];
const pathsToLocation: readonly [ReferencePath, ...ReferencePath[]] = [
  pathViaPowerFeed('rack.location'),
  pathViaCircuit('dcim.location'),
  ...pathsViaDevices('location'),
];
const pathsToSite: readonly [ReferencePath, ...ReferencePath[]] = [
  pathViaPowerFeed('rack.site'),
  pathViaCircuit('dcim.site'),
  pathViaCircuit('dcim.location', 'site'),
  ...pathsViaDevices('site'),
];
const pathsToDevice: readonly [ReferencePath, ...ReferencePath[]] = [
  [stepToReferringObjects('dcim.interface', 'cable'), 'device'],
  ...pathsViaDevices(''),
];

const hasEndCondition = (alias: string, side: 'A' | 'B', more = ''): Sql =>
  `${alias}.id IN (SELECT e.cable_id FROM dcim_cabletermination e WHERE e.cable_end = '${side}'${more})`;

const terminationIdFilter = (side: 'A' | 'B'): Filter =>
  looseFilter(`termination_${side.toLowerCase()}_id`, terminationTable, 'id', (alias, ids) =>
    hasEndCondition(alias, side, ` AND e.termination_id = ANY (${ids})`),
  );

/** Filters of cables by the objects at their ends, and by the locations of these objects. */
export const cableFilters: readonly (Filter | CreateFilters)[] = [
  ...(['a', 'b'] as const).map((side) =>
    relatedFieldFilter(
      `termination_${side}_type`,
      [stepToReferringObjects('dcim.cabletermination', 'cable')],
      'termination_type',
    ),
  ),
  terminationIdFilter('A'),
  terminationIdFilter('B'),
  booleanFilter('unterminated', (alias) => `NOT (${hasEndCondition(alias, 'A')} AND ${hasEndCondition(alias, 'B')})`),
  looseRelatedFilter('device_id', pathsToDevice, 'id'),
  looseRelatedFilter('device', pathsToDevice, 'name'),
  looseRelatedFilter('rack_id', pathsToRack, 'id'),
  looseRelatedFilter('rack', pathsToRack, 'name'),
  looseRelatedFilter('location_id', pathsToLocation, 'id'),
  looseRelatedFilter('location', pathsToLocation, 'name'),
  looseRelatedFilter('site_id', pathsToSite, 'id'),
  looseRelatedFilter('site', pathsToSite, 'slug'),
  ...cableEndTypes.map((type) => cableEndFilter(type, (alias) => `${alias}.id`, 'cable_id')),
];

/**
 * Returns a filter by objects of one model at an end of a cable, such as `interface_id`. It serves the lists of cables
 * and of cable terminations.
 */
export function cableEndFilter(type: string, own: (alias: string) => Sql, column: 'cable_id' | 'id'): Filter {
  return looseFilter(
    `${type.split('.')[1] ?? type}_id`,
    terminationTable,
    'id',
    (alias, ids) =>
      `${own(alias)} IN (SELECT e.${column} FROM dcim_cabletermination e WHERE e.termination_type = '${type}' AND e.termination_id = ANY (${ids}))`,
  );
}
