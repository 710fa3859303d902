import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { jsonField } from '../../engine/field-types/json.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { manyToManyShownByFieldName } from '../../engine/field-types/many-to-many-by-field.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { rejectNonObjectContextData } from '../config-context-data.js';
import { changeRecordAutoSync } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';
import { checkConfigContextData } from './check-context-schema.js';
import { createDataFileCopyHook, syncedFileColumnTypes } from './content-of-synced-files.js';
import * as synced from './data-file-fields.js';

/**
 * Model of a config context: configuration data for devices and virtual machines. The devices and machines are selected
 * by location, role and other properties.
 */
export const configContextModel = defineModel('extras.configcontext', {
  path: 'extras/config-contexts',
  objectName: 'ConfigContext',
  verboseName: 'config context',
  verboseNamePlural: 'config contexts',
  resetOnPut: ['profile'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    weight: integerField({ min: 0, max: 32_767, default: 1000 }),
    profile: referenceField('extras.configcontextprofile', { nullable: true, filterBy: 'name' }),
    description: common.descriptionField,
    is_active: booleanField({ default: true }),
    regions: manyToManyField('dcim.region', {
      join: { table: 'extras_configcontext_regions', own: 'configcontext_id', other: 'region_id' },
      filter: { name: 'region', by: 'slug' },
    }),
    site_groups: manyToManyField('dcim.sitegroup', {
      join: { table: 'extras_configcontext_site_groups', own: 'configcontext_id', other: 'sitegroup_id' },
      filter: { name: 'site_group', by: 'slug' },
    }),
    sites: manyToManyField('dcim.site', {
      join: { table: 'extras_configcontext_sites', own: 'configcontext_id', other: 'site_id' },
      filter: { name: 'site', by: 'slug' },
    }),
    locations: manyToManyField('dcim.location', {
      join: { table: 'extras_configcontext_locations', own: 'configcontext_id', other: 'location_id' },
      filter: { name: 'location', by: 'slug' },
    }),
    device_types: manyToManyField('dcim.devicetype', {
      join: { table: 'extras_configcontext_device_types', own: 'configcontext_id', other: 'devicetype_id' },
      filter: { name: 'device_type', by: null },
    }),
    roles: manyToManyField('dcim.devicerole', {
      join: { table: 'extras_configcontext_roles', own: 'configcontext_id', other: 'devicerole_id' },
      filter: { name: 'device_role', by: 'slug' },
    }),
    platforms: manyToManyField('dcim.platform', {
      join: { table: 'extras_configcontext_platforms', own: 'configcontext_id', other: 'platform_id' },
      filter: { name: 'platform', by: 'slug' },
    }),
    cluster_types: manyToManyField('virtualization.clustertype', {
      join: { table: 'extras_configcontext_cluster_types', own: 'configcontext_id', other: 'clustertype_id' },
      filter: { name: 'cluster_type', by: 'slug' },
    }),
    cluster_groups: manyToManyField('virtualization.clustergroup', {
      join: { table: 'extras_configcontext_cluster_groups', own: 'configcontext_id', other: 'clustergroup_id' },
      filter: { name: 'cluster_group', by: 'slug' },
    }),
    clusters: manyToManyField('virtualization.cluster', {
      join: { table: 'extras_configcontext_clusters', own: 'configcontext_id', other: 'cluster_id' },
      filter: { name: 'cluster', by: null },
    }),
    tenant_groups: manyToManyField('tenancy.tenantgroup', {
      join: { table: 'extras_configcontext_tenant_groups', own: 'configcontext_id', other: 'tenantgroup_id' },
      filter: { name: 'tenant_group', by: 'slug' },
    }),
    tenants: manyToManyField('tenancy.tenant', {
      join: { table: 'extras_configcontext_tenants', own: 'configcontext_id', other: 'tenant_id' },
      filter: { name: 'tenant', by: 'slug' },
    }),
    owner: common.ownerField,
    tags: manyToManyShownByFieldName('extras.tag', 'slug', {
      join: { table: 'extras_configcontext_tags', own: 'configcontext_id', other: 'tag_id' },
      filter: { name: 'tag', by: 'slug' },
    }),
    data_source: synced.syncedDataSourceField,
    data_path: synced.syncedDataPathField,
    data_file: synced.syncedDataFileField,
    data_synced: synced.syncedTimeField,
    data: jsonField({ required: true, check: rejectNonObjectContextData }),
    ...common.creationTimeFields,
  },
  changeLogMembers: changeRecordAutoSync,
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.data::text`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'extras_configcontext_name_key', fields: ['name'] }],
  hiddenColumns: syncedFileColumnTypes,
  hooks: {
    fill: createDataFileCopyHook({ field: 'data', check: rejectNonObjectContextData }),
    review: checkConfigContextData,
  },
  filters: [synced.autoSyncFilter],
});
