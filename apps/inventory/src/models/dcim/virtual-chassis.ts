import type { Tx } from '@switchboard/database';
import {
  defineModel,
  type ExtraDeleteBlockers,
  type ModelWithIds,
  type ChangedColumns,
} from '../../engine/declaration/define-model.js';
import { pathFilters } from '../../engine/filter/path-filter.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
import { referenceField, reverseReferences } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { parentDeviceShape } from './parent-device-field.js';

/**
 * Returns the master devices of the virtual chassis that a write creates. A database trigger makes these devices
 * members of the chassis.
 */
async function masterOfNewChassisRule(_tx: Tx, writes: readonly ChangedColumns[]): Promise<readonly ModelWithIds[]> {
  const ids = writes.flatMap(({ before, after: { master_id: master } }) =>
    before === null && typeof master === 'number' ? [master] : [],
  );
  return [{ type: 'dcim.device', ids }];
}

/**
 * Interfaces that prevent the deletion of a virtual chassis. Such an interface is in a link aggregation group of
 * another member of the chassis. A link aggregation group may span several devices only within a chassis.
 */
const crossChassisLagConstraint: ExtraDeleteBlockers = {
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
    master: referenceField('dcim.device', { nullable: true, filterBy: 'name', shape: parentDeviceShape }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    member_count: referringCountField('dcim.device', {
      via: 'virtual_chassis',
      filter: true,
      stored: true,
      metadataType: 'integer',
    }),
    members: reverseReferences('dcim.device', 'virtual_chassis', parentDeviceShape),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'master', 'description', 'member_count'],
  order: [{ field: 'name' }],
  search: [
    ...common.searchTermsInFields('name', 'description', 'domain'),
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
  hooks: { triggerSideEffects: masterOfNewChassisRule },
  extraDeleteBlockers: [crossChassisLagConstraint],
  filters: [
    pathFilters('region', 'master.site.region'),
    pathFilters('site_group', 'master.site.group'),
    pathFilters('site', 'master.site'),
    pathFilters('tenant', 'master.tenant'),
  ],
});
