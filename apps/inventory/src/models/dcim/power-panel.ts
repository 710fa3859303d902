import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';

/** Model of a power panel: the point at which power enters a site. */
export const powerPanelModel = defineModel('dcim.powerpanel', {
  path: 'dcim/power-panels',
  objectName: 'PowerPanel',
  verboseName: 'power panel',
  verboseNamePlural: 'power panels',
  resetOnPut: ['location'],
  fields: {
    ...common.identityFields,
    site: referenceField('dcim.site', { required: true }),
    location: referenceField('dcim.location', { nullable: true, filterBy: null }),
    name: common.requiredNameField,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    powerfeed_count: referringObjectCountField('dcim.powerfeed', { via: 'power_panel' }),
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'powerfeed_count'],
  nested: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'site' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'dcim_powerpanel_site_id_name_key', fields: ['site', 'name'] },
    { name: 'dcim_powerpanel_location_site', key: '__all__' },
  ],
  filters: [
    ...contactFilters,
    referencePathFilters('region', 'site.region'),
    referencePathFilters('site_group', 'site.group'),
  ],
});
