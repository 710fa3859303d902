import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import {
  type GenericReferenceItem,
  genericReferenceListField,
} from '../../engine/field-types/generic-reference-list.js';
import { decimalField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { colorField, textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { cableEndTypes } from './cable-end-types.js';
import { cableFilters } from './cable-filters.js';
import { cableProfiles } from './cable-profiles.js';
import { cableTypes } from './cable-types.js';
import { linkStatusChoices } from './link-status-choices.js';

const cableLengthUnitChoices = {
  km: 'Kilometers',
  m: 'Meters',
  cm: 'Centimeters',
  mi: 'Miles',
  ft: 'Feet',
  in: 'Inches',
};

/**
 * Creates the field that lists the objects connected at one side of a cable. All these objects must belong to the same
 * model.
 */
const createCableSideField = (side: 'A' | 'B') =>
  genericReferenceListField({
    table: 'dcim_cabletermination',
    own: 'cable_id',
    type: 'termination_type',
    id: 'termination_id',
    allowed: cableEndTypes,
    where: (row) => `${row}.cable_end = '${side}'`,
    order: (row) => `${row}.connector, ${row}.id`,
    storedBy: {
      function: 'dcim_connect_cables',
      parts: 'dcim.cabletermination',
      via: 'cable',
      ends: { type: 'termination_type', id: 'termination_id' },
      dependsOn: ['profile'],
    },
  });

/**
 * Names of the connection rules that the database function `dcim_connect_cables` checks. Each rule has its own error
 * message.
 */
const cableConnectionRules = [
  'one_type',
  'compatible',
  'two_sides',
  'marked',
  'duplicate',
  'wired',
  'provider_network',
];

/**
 * Maximum number of objects connected at one side of a cable. Each connected object shows all objects at the other
 * side. Therefore the work of a change grows with the square of the number of objects.
 */
const maxTerminationsPerSide = 200;

function findTerminationCountProblem(ends: readonly unknown[]): readonly string[] {
  if (ends.length <= maxTerminationsPerSide) return [];
  return [`A side of a cable can have at most ${maxTerminationsPerSide} terminations (there are ${ends.length}).`];
}

/**
 * Returns the list of terminations that a request body contains for one side of a cable. Returns an empty list for
 * other values.
 */
function getCableTerminationsFromBody(value: unknown): readonly GenericReferenceItem[] {
  return Array.isArray(value) ? (value as readonly GenericReferenceItem[]) : [];
}

/** Model of a cable between components, with one or more ends on each side. */
export const cableModel = defineModel('dcim.cable', {
  path: 'dcim/cables',
  objectName: 'Cable',
  verboseName: 'cable',
  verboseNamePlural: 'cables',
  resetOnPut: ['bundle'],
  fields: {
    ...common.identityFields,
    type: choiceField(cableTypes, { nullable: true, raw: true }),
    a_terminations: createCableSideField('A'),
    b_terminations: createCableSideField('B'),
    status: choiceField(linkStatusChoices, { default: 'connected' }),
    profile: choiceField(cableProfiles, { nullable: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    bundle: referenceField('dcim.cablebundle', { nullable: true, onDelete: 'set_null', filterBy: 'name' }),
    label: textField({ max: 100 }),
    color: colorField({ blank: true }),
    length: decimalField({ digits: 8, places: 2, nullable: true }),
    length_unit: choiceField(cableLengthUnitChoices, { nullable: true, filterSingle: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `coalesce(nullif(${alias}.label, ''), '#' || ${alias}.id)`,
  brief: ['id', 'url', 'display', 'label', 'description'],
  order: [{ sql: (alias) => `${alias}.id` }],
  search: common.createFieldSearchTerms('label', 'description'),
  rules: [
    ({ length, length_unit: unit }) =>
      length !== null && unit === null ? { __all__: ['Must specify a unit when setting a cable length'] } : null,
    ({ a_terminations: a = [], b_terminations: b = [] }, { previous }) =>
      previous === null && (a.length === 0 || b.length === 0)
        ? { __all__: ['Must define A and B terminations when creating a new cable.'] }
        : null,
    ({ a_terminations: a = [], b_terminations: b = [] }) => {
      const problems = {
        a_terminations: findTerminationCountProblem(a),
        b_terminations: findTerminationCountProblem(b),
      };
      const found = Object.entries(problems).filter(([, texts]) => texts.length > 0);
      return found.length === 0 ? null : Object.fromEntries(found);
    },
  ],
  hooks: {
    // Clears the unit if there is no length.
    prepare: ({ length }) => Promise.resolve({ columns: length === null ? { length_unit: null } : {} }),
    derived: {
      data: cablePathsAfterWriteHook,
      fields: ['a_terminations', 'b_terminations', 'profile', 'status'],
      named: ({ a_terminations: a, b_terminations: b }) => [
        ...getCableTerminationsFromBody(a),
        ...getCableTerminationsFromBody(b),
      ],
    },
  },
  constraints: [
    ...['a_terminations', 'b_terminations'].flatMap((key) => [
      { name: `dcim_cable_${key}_missing`, key },
      { name: `dcim_cable_${key}_limit`, key },
      { name: `dcim_cable_${key}_connector`, key },
    ]),
    ...cableConnectionRules.map((rule) => ({ name: `dcim_cable_${rule}` })),
  ],
  filters: [...tenantGroupFilters, ...cableFilters],
});
