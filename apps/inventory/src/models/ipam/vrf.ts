import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

/** Model of a VRF (virtual routing and forwarding): a separate address space. */
export const vrfModel = defineModel('ipam.vrf', {
  path: 'ipam/vrfs',
  objectName: 'VRF',
  verboseName: 'VRF',
  verboseNamePlural: 'VRFs',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    rd: textField({ max: 21, nullable: true, blankAsNull: true, label: 'route distinguisher' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    enforce_unique: booleanField({ default: true, label: 'enforce unique space' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    import_targets: manyToManyField('ipam.routetarget', {
      join: { table: 'ipam_vrf_import_targets', own: 'vrf_id', other: 'routetarget_id' },
      filter: { name: 'import_target', by: 'name' },
      whole: true,
    }),
    export_targets: manyToManyField('ipam.routetarget', {
      join: { table: 'ipam_vrf_export_targets', own: 'vrf_id', other: 'routetarget_id' },
      filter: { name: 'export_target', by: 'name' },
      whole: true,
    }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    ipaddress_count: referringObjectCountField('ipam.ipaddress', { via: 'vrf' }),
    prefix_count: referringObjectCountField('ipam.prefix', { via: 'vrf' }),
  },
  display: (alias) => `${alias}.name || coalesce(' (' || ${alias}.rd || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'rd', 'description', 'prefix_count'],
  nested: ['id', 'url', 'display', 'name', 'rd', 'description'],
  order: [{ field: 'name' }, { field: 'rd' }],
  search: common.createFieldSearchTerms('name', 'rd', 'description'),
  constraints: [{ name: 'ipam_vrf_rd_key', fields: ['rd'] }],
  filters: tenantGroupFilters,
});
