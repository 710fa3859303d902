import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ListFilter, CreateFilters } from '../../engine/filter/filter-problem.js';
import {
  relatedFilterIgnoringUnknownIds,
  filterIgnoringUnknownIds,
} from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { relatedFieldFilter } from '../../engine/filter/path-filter.js';
import {
  resolveStepToGenericTarget,
  type ReferencePath,
  resolveStepToReferringObjects,
} from '../../engine/filter/resolve-reference-path.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import { cableEndTypes, deviceEndTypes } from './cable-end-types.js';

const terminationTable = { table: 'dcim_cabletermination' };

/**
 * Returns the reference paths from a cable to the devices at its ends, or from there along `path` to related objects.
 */
const pathsViaDevices = (path: string): ReferencePath[] =>
  deviceEndTypes.map((type) => [
    resolveStepToReferringObjects(type, 'cable'),
    path === '' ? 'device' : `device.${path}`,
  ]);

/**
 * Returns the reference path from a cable to the power feed at its end, or from there along `path` to a related object.
 */
const pathsViaPowerFeed = (path: string): ReferencePath => [
  resolveStepToReferringObjects('dcim.powerfeed', 'cable'),
  path,
];
const pathViaCircuit = (type: string, ...path: string[]): ReferencePath => [
  resolveStepToReferringObjects('circuits.circuittermination', 'cable'),
  resolveStepToGenericTarget('termination', type),
  ...path,
];

const pathsToRack: readonly [ReferencePath, ...ReferencePath[]] = [
  pathsViaPowerFeed('rack'),
  ...pathsViaDevices('rack'),
];
const pathsToLocation: readonly [ReferencePath, ...ReferencePath[]] = [
  pathsViaPowerFeed('rack.location'),
  pathViaCircuit('dcim.location'),
  ...pathsViaDevices('location'),
];
const pathsToSite: readonly [ReferencePath, ...ReferencePath[]] = [
  pathsViaPowerFeed('rack.site'),
  pathViaCircuit('dcim.site'),
  pathViaCircuit('dcim.location', 'site'),
  ...pathsViaDevices('site'),
];
const pathsToDevice: readonly [ReferencePath, ...ReferencePath[]] = [
  [resolveStepToReferringObjects('dcim.interface', 'cable'), 'device'],
  ...pathsViaDevices(''),
];

const hasCableEndCondition = (alias: string, side: 'A' | 'B', more = ''): SqlText =>
  `${alias}.id IN (SELECT e.cable_id FROM dcim_cabletermination e WHERE e.cable_end = '${side}'${more})`;

const terminationIdFilter = (side: 'A' | 'B'): ListFilter =>
  filterIgnoringUnknownIds(`termination_${side.toLowerCase()}_id`, terminationTable, 'id', (alias, ids) =>
    hasCableEndCondition(alias, side, ` AND e.termination_id = ANY (${ids})`),
  );

/** Filters of cables by the objects at the cables' ends, and by the locations of those objects. */
export const cableFilters: readonly (ListFilter | CreateFilters)[] = [
  ...(['a', 'b'] as const).map((side) =>
    relatedFieldFilter(
      `termination_${side}_type`,
      [resolveStepToReferringObjects('dcim.cabletermination', 'cable')],
      'termination_type',
    ),
  ),
  terminationIdFilter('A'),
  terminationIdFilter('B'),
  booleanFilter(
    'unterminated',
    (alias) => `NOT (${hasCableEndCondition(alias, 'A')} AND ${hasCableEndCondition(alias, 'B')})`,
  ),
  relatedFilterIgnoringUnknownIds('device_id', pathsToDevice, 'id'),
  relatedFilterIgnoringUnknownIds('device', pathsToDevice, 'name'),
  relatedFilterIgnoringUnknownIds('rack_id', pathsToRack, 'id'),
  relatedFilterIgnoringUnknownIds('rack', pathsToRack, 'name'),
  relatedFilterIgnoringUnknownIds('location_id', pathsToLocation, 'id'),
  relatedFilterIgnoringUnknownIds('location', pathsToLocation, 'name'),
  relatedFilterIgnoringUnknownIds('site_id', pathsToSite, 'id'),
  relatedFilterIgnoringUnknownIds('site', pathsToSite, 'slug'),
  ...cableEndTypes.map((type) => cableEndFilter(type, (alias) => `${alias}.id`, 'cable_id')),
];

/**
 * Returns a filter by the object of a given model at an end of a cable, such as `interface_id`. The lists of cables and
 * of cable terminations use the filter.
 */
export function cableEndFilter(type: string, own: (alias: string) => SqlText, column: 'cable_id' | 'id'): ListFilter {
  return filterIgnoringUnknownIds(
    `${type.split('.')[1] ?? type}_id`,
    terminationTable,
    'id',
    (alias, ids) =>
      `${own(alias)} IN (SELECT e.${column} FROM dcim_cabletermination e WHERE e.termination_type = '${type}' AND e.termination_id = ANY (${ids}))`,
  );
}
