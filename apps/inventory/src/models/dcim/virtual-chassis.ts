import type { Tx } from '@switchboard/database';
import {
  defineModel,
  type UnreferencedDeletionBlockers,
  type ModelWithIds,
  type ColumnValuesBeforeAndAfter,
} from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField, reverseReferencesField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { parentDeviceFieldNames } from './parent-device-field.js';

/**
 * Returns the master devices of the virtual chassis that a write creates. A database trigger makes these devices
 * members of the chassis.
 */
async function listMastersOfNewChassis(
  _tx: Tx,
  writes: readonly ColumnValuesBeforeAndAfter[],
): Promise<readonly ModelWithIds[]> {
  const ids = writes.flatMap(({ before, after: { master_id: master } }) =>
    before === null && typeof master === 'number' ? [master] : [],
  );
  return [{ type: 'dcim.device', ids }];
}

/**
 * Interfaces that prevent the deletion of a virtual chassis. Such an interface is in a link aggregation group of
 * another member of the chassis. A link aggregation group may span several devices only within a chassis.
 */
const crossChassisLagConstraint: UnreferencedDeletionBlockers = {
  type: 'dcim.interface',
  where: (alias, ids) => `EXISTS (SELECT FROM dcim_device m JOIN dcim_interface l ON l.id = ${alias}.lag_id
    WHERE m.id = ${alias}.device_id AND m.virtual_chassis_id = ANY (${ids}) AND l.device_id <> ${alias}.device_id)`,
};

/** Model of a virtual chassis: several devices that act as one device. */
export const virtualChassisModel = defineModel('dcim.virtualchassis', {
  path: 'dcim/virtual-chassis',
  objectName: 'VirtualChassis',
  verboseName: 'virtual chassis',
  verboseNamePlural: 'virtual chassis',
  resetOnPut: ['master'],
  fields: {
    ...common.identityFields,
    name: textField({ max: 64, required: true }),
    domain: textField({ max: 30 }),
    master: referenceField('dcim.device', { nullable: true, filterBy: 'name', shape: parentDeviceFieldNames }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    member_count: referringObjectCountField('dcim.device', {
      via: 'virtual_chassis',
      filter: true,
      stored: true,
      metadataType: 'integer',
    }),
    members: reverseReferencesField('dcim.device', 'virtual_chassis', parentDeviceFieldNames),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'master', 'description', 'member_count'],
  order: [{ field: 'name' }],
  search: [
    ...common.createFieldSearchTerms('name', 'description', 'domain'),
    {
      sql: (alias) =>
        `(SELECT string_agg(m.name, chr(10)) FROM dcim_device m WHERE m.virtual_chassis_id = ${alias}.id)`,
      lookup: 'icontains',
    },
  ],
  constraints: [
    { name: 'dcim_virtualchassis_master_id_key', fields: ['master'] },
    { name: 'dcim_virtualchassis_master_rule', key: 'master' },
  ],
  hooks: { triggerSideEffects: listMastersOfNewChassis },
  extraDeleteBlockers: [crossChassisLagConstraint],
  filters: [
    referencePathFilters('region', 'master.site.region'),
    referencePathFilters('site_group', 'master.site.group'),
    referencePathFilters('site', 'master.site'),
    referencePathFilters('tenant', 'master.tenant'),
  ],
});
