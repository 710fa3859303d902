import { defineModel } from '../../engine/declaration/define-model.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField, displayNameField } from '../../engine/field-types/computed-field.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { singleReverseGenericReferenceField } from '../../engine/field-types/reverse-generic.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { availableVlanFilters, vlanInterfaceFilters } from './vlan-availability.js';

const vlanStatusChoices = { active: 'Active', reserved: 'Reserved', deprecated: 'Deprecated' };
const qinqRoleChoices = { svlan: 'Service', cvlan: 'Customer' };

/** Reference path from a VLAN to the L2VPNs that have a termination at the VLAN. */
const referencePathToL2vpns = [
  resolveStepToReferringObjects('vpn.l2vpntermination', 'assigned_object'),
  'l2vpn',
] as const;

/**
 * Model of a VLAN (virtual LAN). A database trigger checks a VLAN against the rules of its VLAN group
 * (docs/contract/inventory.md 3.5).
 */
export const vlanModel = defineModel('ipam.vlan', {
  path: 'ipam/vlans',
  objectName: 'VLAN',
  verboseName: 'VLAN',
  verboseNamePlural: 'VLANs',
  resetOnPut: ['group', 'qinq_svlan'],
  fields: {
    ...common.identityFields,
    site: referenceField('dcim.site', { nullable: true }),
    group: referenceField('ipam.vlangroup', { nullable: true }),
    vid: integerField({ required: true, min: 1, max: 4094, label: 'VLAN ID' }),
    name: textField({ max: 64, required: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    status: choiceField(vlanStatusChoices, { default: 'active' }),
    role: referenceField('ipam.role', { nullable: true, onDelete: 'set_null' }),
    description: common.descriptionField,
    qinq_role: choiceField(qinqRoleChoices, { nullable: true, rejectsBlank: true, label: 'Q-in-Q role' }),
    qinq_svlan: referenceField('ipam.vlan', { nullable: true, filterBy: null }),
    owner: common.ownerField,
    comments: common.commentsField,
    l2vpn_termination: singleReverseGenericReferenceField('vpn.l2vpntermination', {
      type: 'assigned_object_type',
      id: 'assigned_object_id',
    }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    prefix_count: referringObjectCountField('ipam.prefix', { via: 'vlan' }),
    // Former name of `display`, which inventory-2-9 still lists.
    display_name: displayNameField(),
  },
  display: (alias) => `concat(${alias}.name, ' (', ${alias}.vid, ')')`,
  brief: ['id', 'url', 'display', 'vid', 'name', 'description'],
  order: [{ field: 'site' }, { field: 'group' }, { field: 'vid' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.vid`, lookup: 'number' },
  ],
  constraints: [
    { name: 'ipam_vlan_group_id_vid_key', fields: ['group', 'vid'] },
    { name: 'ipam_vlan_group_id_name_key', fields: ['group', 'name'] },
    { name: 'ipam_vlan_qinq_svlan_id_vid_key', fields: ['qinq_svlan', 'vid'] },
    { name: 'ipam_vlan_qinq_svlan_id_name_key', fields: ['qinq_svlan', 'name'] },
    { name: 'ipam_vlan_group_ranges', key: 'vid' },
    { name: 'ipam_vlan_group_scope', key: '__all__' },
  ],
  rules: [
    ({ qinq_role: role, qinq_svlan: service }) =>
      typeof service === 'number' && role !== 'cvlan'
        ? { qinq_svlan: ['Only Q-in-Q customer VLANs maybe assigned to a service VLAN.'] }
        : null,
    ({ qinq_role: role, qinq_svlan: service }) =>
      role === 'cvlan' && typeof service !== 'number'
        ? { qinq_role: ['A Q-in-Q customer VLAN must be assigned to a service VLAN.'] }
        : null,
  ],
  filters: [
    ...tenantGroupFilters,
    referencePathFilters('region', 'site.region'),
    referencePathFilters('site_group', 'site.group'),
    referencePathFilters('l2vpn', referencePathToL2vpns, 'identifier'),
    ...availableVlanFilters,
    ...vlanInterfaceFilters,
    integerFilter('qinq_svlan_vid', (alias) => `(SELECT s.vid FROM ipam_vlan s WHERE s.id = ${alias}.qinq_svlan_id)`),
  ],
});
