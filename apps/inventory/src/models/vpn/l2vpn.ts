import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { l2vpnTypes } from './l2vpn-types.js';

const l2vpnStatusChoices = { active: 'Active', planned: 'Planned', decommissioning: 'Decommissioning' };

/** Model of an L2VPN: a layer 2 network that spans other networks. */
export const l2vpnModel = defineModel('vpn.l2vpn', {
  path: 'vpn/l2vpns',
  objectName: 'L2VPN',
  verboseName: 'L2VPN',
  verboseNamePlural: 'L2VPNs',
  fields: {
    ...common.identityFields,
    identifier: integerField({ nullable: true }),
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    type: choiceField(l2vpnTypes),
    status: choiceField(l2vpnStatusChoices, { default: 'active' }),
    import_targets: manyToManyField('ipam.routetarget', {
      join: { table: 'vpn_l2vpn_import_targets', own: 'l2vpn_id', other: 'routetarget_id' },
      filter: { name: 'import_target', by: 'name' },
    }),
    export_targets: manyToManyField('ipam.routetarget', {
      join: { table: 'vpn_l2vpn_export_targets', own: 'l2vpn_id', other: 'routetarget_id' },
      filter: { name: 'export_target', by: 'name' },
    }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name || coalesce(' (' || ${alias}.identifier || ')', '')`,
  brief: ['id', 'url', 'display', 'identifier', 'name', 'slug', 'type', 'description'],
  order: [{ field: 'name' }, { field: 'identifier' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.identifier`, lookup: 'number' },
  ],
  rules: [
    // Required, although the body may omit it as in the reference API: the error message differs.
    ({ type }) => ((type ?? null) === null ? { type: ['This field cannot be blank.'] } : null),
  ],
  constraints: [
    { name: 'vpn_l2vpn_name_key', fields: ['name'] },
    { name: 'vpn_l2vpn_slug_key', fields: ['slug'] },
  ],
  filters: [...tenantGroupFilters, ...contactFilters],
});
