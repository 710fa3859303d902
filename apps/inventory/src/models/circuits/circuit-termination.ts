import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters, relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as cabled from '../dcim/cabled-fields.js';
import { createScopeColumnFilters } from '../dcim/scope-filters.js';
import { getModelTitle } from '../app-names.js';
import * as common from '../shared-model-fields.js';
import { circuitTerminationPlaceFields } from './circuit-termination-fields.js';

const circuitTerminationTypes = [
  'circuits.providernetwork',
  'dcim.location',
  'dcim.region',
  'dcim.site',
  'dcim.sitegroup',
];

/** Model of a circuit termination: one end of a circuit, with its location. */
export const circuitTerminationModel = defineModel('circuits.circuittermination', {
  path: 'circuits/circuit-terminations',
  objectName: 'CircuitTermination',
  verboseName: 'circuit termination',
  verboseNamePlural: 'circuit terminations',
  resetOnPut: ['termination_type', 'termination_id'],
  fields: {
    ...common.identityFields,
    circuit: referenceField('circuits.circuit', { required: true, onDelete: 'cascade', filterBy: null }),
    term_side: choiceField(
      { A: 'A', Z: 'Z' },
      { required: true, raw: true, filterSingle: true, label: 'termination side' },
    ),
    termination_type: objectTypeField(circuitTerminationTypes, { nullable: true }),
    termination_id: integerField({ nullable: true, min: 0, big: false }),
    termination: genericObjectField({
      ...circuitTerminationPlaceFields,
      allowed: circuitTerminationTypes,
      protects: ['circuits.providernetwork'],
      incomplete: { key: '__all__', message: (target) => `Please select a ${getModelTitle(target)}.` },
    }),
    port_speed: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'port speed (Kbps)' }),
    upstream_speed: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'upstream speed (Kbps)' }),
    xconnect_id: textField({ max: 50, label: 'cross-connect ID' }),
    pp_info: textField({ max: 100, label: 'patch panel/port(s)' }),
    description: common.descriptionField,
    ...cabled.componentCableFields,
    ...cabled.createLinkPeerFields(),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    _occupied: cabled.componentOccupiedField,
  },
  changeLogMembers: cabled.componentCableChangeMembers,
  showEachOther: (ids) => cabled.createEndsConnectedCondition('circuits.circuittermination', ids),
  relatedTo: 'circuit',
  display: (alias) =>
    `(SELECT c.cid FROM circuits_circuit c WHERE c.id = ${alias}.circuit_id) || ': Termination ' || ${alias}.term_side`,
  brief: ['id', 'url', 'display', 'circuit', 'term_side', 'description', 'cable', '_occupied'],
  order: [{ field: 'circuit' }, { field: 'term_side' }],
  search: [
    common.createOtherTableSearchTerms('circuits_circuittermination', 'circuit_id', 'circuits_circuit', 'cid'),
    { sql: (alias) => `${alias}.xconnect_id`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.pp_info`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'circuits_circuittermination_circuit_id_term_side_key', fields: ['circuit', 'term_side'] },
    cabled.createMarkedConnectedConstraint('circuits_circuittermination'),
  ],
  rules: [
    ({ termination_type: type }) =>
      typeof type === 'string' ? null : { __all__: ['A circuit termination must attach to a terminating object.'] },
  ],
  hooks: {
    derived: { data: cablePathsAfterWriteHook, fields: ['circuit', 'term_side', 'termination_type', 'termination_id'] },
  },
  filters: [
    referencePathFilters('provider', 'circuit.provider'),
    createScopeColumnFilters(circuitTerminationPlaceFields),
    relatedObjectFilter('provider_network_id', [resolveStepToGenericTarget('termination', 'circuits.providernetwork')]),
    ...cabled.createComponentCableFilters(),
  ],
});
