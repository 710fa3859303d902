import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { createTreeAncestorFilters, createParentCycleConstraint } from '../tree-rules.js';
import { movedDeviceConstraints } from './constraints-of-moved-devices.js';
import { createScopedObjectCountField } from './scope-filters.js';

const locationStatusChoices = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  retired: 'Retired',
};

/** Model of a location: a part of a site, such as a building, floor or room. The locations of a site form a tree. */
export const locationModel = defineModel('dcim.location', {
  path: 'dcim/locations',
  objectName: 'Location',
  verboseName: 'location',
  verboseNamePlural: 'locations',
  resetOnPut: ['parent'],
  tree: true,
  rereadAfterUpdate: true,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    site: referenceField('dcim.site', { required: true, onDelete: 'cascade' }),
    parent: referenceField('dcim.location', {
      nullable: true,
      onDelete: 'cascade',
      filterDirect: true,
      shape: common.treeParentFieldNames,
    }),
    status: choiceField(locationStatusChoices, { default: 'active' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    facility: textField({ max: 50 }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    rack_count: referringObjectCountField('dcim.rack', { via: 'location', cumulative: true, metadataType: 'integer' }),
    device_count: referringObjectCountField('dcim.device', {
      via: 'location',
      cumulative: true,
      metadataType: 'integer',
    }),
    prefix_count: createScopedObjectCountField('ipam.prefix', 'dcim.location'),
    owner: common.ownerField,
    comments: common.commentsField,
    _depth: common.treeDepthField,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'rack_count', '_depth'],
  order: [{ field: 'site' }, { sql: (alias) => `${alias}._sort` }],
  search: common.createFieldSearchTerms('name', 'slug', 'facility', 'description', 'comments'),
  constraints: [
    createParentCycleConstraint('dcim_location', 'location'),
    { name: 'dcim_location_site_id_parent_id_name_key', fields: ['site', 'parent', 'name'] },
    { name: 'dcim_location_site_id_parent_id_slug_key', fields: ['site', 'parent', 'slug'] },
    {
      name: 'dcim_location_name',
      fields: ['site', 'name'],
      whereNull: 'parent',
      key: '__all__',
      message: 'A location with this name already exists within the specified site.',
    },
    {
      name: 'dcim_location_slug',
      fields: ['site', 'slug'],
      whereNull: 'parent',
      key: '__all__',
      message: 'A location with this slug already exists within the specified site.',
    },
    { name: 'dcim_location_parent_site', key: '__all__' },
    // Objects that move to another site together with the location must not conflict with objects there.
    ...movedDeviceConstraints,
    {
      name: 'virtualization_cluster__site_id_name_key',
      key: 'site',
      message: 'Cluster name must be unique per site.',
    },
    { name: 'dcim_powerpanel_site_id_name_key', key: 'site', message: 'Power panel name must be unique per site.' },
  ],
  filters: [
    ...contactFilters,
    ...createTreeAncestorFilters('dcim_location'),
    ...tenantGroupFilters,
    referencePathFilters('region', 'site.region'),
    referencePathFilters('site_group', 'site.group'),
  ],
});
