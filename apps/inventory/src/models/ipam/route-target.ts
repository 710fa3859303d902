import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const vrfTable = { table: 'ipam_vrf' };

/** Model of a route target, which VRFs import and export. */
export const routeTargetModel = defineModel('ipam.routetarget', {
  path: 'ipam/route-targets',
  objectName: 'RouteTarget',
  verboseName: 'route target',
  verboseNamePlural: 'route targets',
  fields: {
    ...common.identityFields,
    name: textField({ max: 21, required: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'ipam_routetarget_name_key', fields: ['name'] }],
  filters: [
    ...tenantGroupFilters,
    referencePathFilters(
      'importing_l2vpn',
      [resolveStepToReferringObjects('vpn.l2vpn', 'import_targets')],
      'identifier',
    ),
    referencePathFilters(
      'exporting_l2vpn',
      [resolveStepToReferringObjects('vpn.l2vpn', 'export_targets')],
      'identifier',
    ),
    ...manyToManyFilters(
      'importing_vrf',
      vrfTable,
      { table: 'ipam_vrf_import_targets', own: 'routetarget_id', other: 'vrf_id' },
      'rd',
    ),
    ...manyToManyFilters(
      'exporting_vrf',
      vrfTable,
      { table: 'ipam_vrf_export_targets', own: 'routetarget_id', other: 'vrf_id' },
      'rd',
    ),
  ],
});
