import { defineModel } from '../../engine/declaration/model.js';
import { along } from '../../engine/filter/path-filter.js';
import { countOf } from '../../engine/kinds/computed.js';
import { ref, reverse } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { deviceInPassing } from './parent-device.js';

/** Devices that act as one. */
export const virtualChassis = defineModel('dcim.virtualchassis', {
  path: 'dcim/virtual-chassis',
  objectName: 'VirtualChassis',
  verboseName: 'virtual chassis',
  verboseNamePlural: 'virtual chassis',
  fields: {
    ...common.identity,
    name: text({ max: 64, required: true }),
    domain: text({ max: 30 }),
    master: ref('dcim.device', { nullable: true, filterBy: 'name', shape: deviceInPassing }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    member_count: countOf('dcim.device', { via: 'virtual_chassis' }),
    members: reverse('dcim.device', 'virtual_chassis', deviceInPassing),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'master', 'description', 'member_count'],
  order: [{ field: 'name' }],
  // DRAFT search: and members.name
  search: common.searchIn('name', 'description', 'domain'),
  constraints: [{ name: 'dcim_virtualchassis_master_id_key', fields: ['master'] }],
  // DRAFT rules: creating with a master puts the device in at position 1; master must be a member; delete clears positions of members and is refused when member interfaces form a cross-chassis LAG; member_count is a counter
  // DRAFT filters: member_count (integer, n lte lt gte gt empty)
  filters: [
    along('region', 'master.site.region'),
    along('site_group', 'master.site.group'),
    along('site', 'master.site'),
    along('tenant', 'master.tenant'),
  ],
});
