import { defineModel } from '../../engine/declaration/define-model.js';
import { relatedObjectIdFilter } from '../../engine/filter/relation-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { integerListField } from '../../engine/field-types/plain-list-fields.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { cableEndTypes, createCableEndNameSql } from './cable-end-types.js';
import { createCableEndFilter } from './cable-filters.js';
import { cableSides } from './cabled-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a cable termination: one end of a cable. Clients change a cable termination by changing the cable. */
export const cableTerminationModel = defineModel('dcim.cabletermination', {
  path: 'dcim/cable-terminations',
  objectName: 'CableTermination',
  verboseName: 'cable termination',
  verboseNamePlural: 'cable terminations',
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    id,
    url,
    display,
    cable: referenceField('dcim.cable', { readOnly: true, bare: true, onDelete: 'cascade', filterBy: null }),
    cable_end: choiceField(cableSides, { readOnly: true, raw: true, filterSingle: true, label: 'end' }),
    termination_type: objectTypeField(cableEndTypes, { readOnly: true }),
    termination_id: integerField({ readOnly: true }),
    termination: genericObjectField({ type: 'termination_type', id: 'termination_id', allowed: cableEndTypes }),
    connector: integerField({ nullable: true, readOnly: true, filterable: false }),
    positions: integerListField({ nullable: true, readOnly: true }),
    ...common.creationTimeFields,
  },
  relatedTo: 'termination',
  display: (alias) =>
    `concat('Cable ', (SELECT coalesce(nullif(c.label, ''), '#' || c.id) FROM dcim_cable c WHERE c.id = ${alias}.cable_id), ' to ', ${createCableEndNameSql(`${alias}.termination_type`, `${alias}.termination_id`)})`,
  brief: ['id', 'url', 'display', 'cable', 'cable_end', 'connector', 'positions', 'termination_type', 'termination_id'],
  nested: [
    'id',
    'url',
    'display',
    'cable',
    'cable_end',
    'termination_type',
    'termination_id',
    'connector',
    'positions',
  ],
  order: [{ field: 'cable' }, { field: 'cable_end' }, { field: 'connector' }],
  filters: [
    // This filter by the cable accepts one value only.
    {
      ...relatedObjectIdFilter('cable', (alias) => `${alias}.cable_id`, { table: 'dcim_cable' }, 'id', false),
      multiple: false,
    },
    ...cableEndTypes.map((type) => createCableEndFilter(type, (alias) => `${alias}.id`, 'id')),
  ],
});
