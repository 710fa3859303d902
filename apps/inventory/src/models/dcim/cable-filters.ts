import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ListFilter, ModelFilterFactory } from '../../engine/filter/filter-problem.js';
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
import { cableEndTypes, deviceCableEndTypes } from './cable-end-types.js';

const cableTerminationTable = { table: 'dcim_cabletermination' };

/**
 * Returns the reference paths from a cable to the devices at its ends, or from there along `path` to related objects.
 */
const createPathsViaDevices = (path: string): ReferencePath[] =>
  deviceCableEndTypes.map((type) => [
    resolveStepToReferringObjects(type, 'cable'),
    path === '' ? 'device' : `device.${path}`,
  ]);

/**
 * Returns the reference path from a cable to the power feed at its end, or from there along `path` to a related object.
 */
const createPathViaPowerFeed = (path: string): ReferencePath => [
  resolveStepToReferringObjects('dcim.powerfeed', 'cable'),
  path,
];
const createPathViaCircuit = (type: string, ...path: string[]): ReferencePath => [
  resolveStepToReferringObjects('circuits.circuittermination', 'cable'),
  resolveStepToGenericTarget('termination', type),
  ...path,
];

const referencePathsToRack: readonly [ReferencePath, ...ReferencePath[]] = [
  createPathViaPowerFeed('rack'),
  ...createPathsViaDevices('rack'),
];
const referencePathsToLocation: readonly [ReferencePath, ...ReferencePath[]] = [
  createPathViaPowerFeed('rack.location'),
  createPathViaCircuit('dcim.location'),
  ...createPathsViaDevices('location'),
];
const referencePathsToSite: readonly [ReferencePath, ...ReferencePath[]] = [
  createPathViaPowerFeed('rack.site'),
  createPathViaCircuit('dcim.site'),
  createPathViaCircuit('dcim.location', 'site'),
  ...createPathsViaDevices('site'),
];
const referencePathsToDevice: readonly [ReferencePath, ...ReferencePath[]] = [
  [resolveStepToReferringObjects('dcim.interface', 'cable'), 'device'],
  ...createPathsViaDevices(''),
];

const createCableEndCondition = (alias: string, side: 'A' | 'B', more = ''): SqlText =>
  `${alias}.id IN (SELECT e.cable_id FROM dcim_cabletermination e WHERE e.cable_end = '${side}'${more})`;

const createTerminationIdFilter = (side: 'A' | 'B'): ListFilter =>
  filterIgnoringUnknownIds(`termination_${side.toLowerCase()}_id`, cableTerminationTable, 'id', (alias, ids) =>
    createCableEndCondition(alias, side, ` AND e.termination_id = ANY (${ids})`),
  );

/** Filters of cables by the objects at the cables' ends, and by the locations of those objects. */
export const cableFilters: readonly (ListFilter | ModelFilterFactory)[] = [
  ...(['a', 'b'] as const).map((side) =>
    relatedFieldFilter(
      `termination_${side}_type`,
      [resolveStepToReferringObjects('dcim.cabletermination', 'cable')],
      'termination_type',
    ),
  ),
  createTerminationIdFilter('A'),
  createTerminationIdFilter('B'),
  booleanFilter(
    'unterminated',
    (alias) => `NOT (${createCableEndCondition(alias, 'A')} AND ${createCableEndCondition(alias, 'B')})`,
  ),
  relatedFilterIgnoringUnknownIds('device_id', referencePathsToDevice, 'id'),
  relatedFilterIgnoringUnknownIds('device', referencePathsToDevice, 'name'),
  relatedFilterIgnoringUnknownIds('rack_id', referencePathsToRack, 'id'),
  relatedFilterIgnoringUnknownIds('rack', referencePathsToRack, 'name'),
  relatedFilterIgnoringUnknownIds('location_id', referencePathsToLocation, 'id'),
  relatedFilterIgnoringUnknownIds('location', referencePathsToLocation, 'name'),
  relatedFilterIgnoringUnknownIds('site_id', referencePathsToSite, 'id'),
  relatedFilterIgnoringUnknownIds('site', referencePathsToSite, 'slug'),
  ...cableEndTypes.map((type) => createCableEndFilter(type, (alias) => `${alias}.id`, 'cable_id')),
];

/**
 * Returns a filter by the object of a given model at an end of a cable, such as `interface_id`. The lists of cables and
 * of cable terminations use the filter.
 */
export function createCableEndFilter(
  type: string,
  own: (alias: string) => SqlText,
  column: 'cable_id' | 'id',
): ListFilter {
  return filterIgnoringUnknownIds(
    `${type.split('.')[1] ?? type}_id`,
    cableTerminationTable,
    'id',
    (alias, ids) =>
      `${own(alias)} IN (SELECT e.${column} FROM dcim_cabletermination e WHERE e.termination_type = '${type}' AND e.termination_id = ANY (${ids}))`,
  );
}
