import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { movedDeviceConstraints } from './constraints-of-moved-devices.js';
import * as frame from './rack-fields.js';

const rackStatusChoices = {
  reserved: 'Reserved',
  available: 'Available',
  planned: 'Planned',
  active: 'Active',
  deprecated: 'Deprecated',
};

/** Model of a rack with numbered units in which devices can be mounted. */
export const rackModel = defineModel('dcim.rack', {
  path: 'dcim/racks',
  objectName: 'Rack',
  verboseName: 'rack',
  verboseNamePlural: 'racks',
  resetOnPut: ['facility_id', 'location', 'rack_type'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    facility_id: textField({ max: 50, nullable: true, label: 'facility ID' }),
    site: referenceField('dcim.site', { required: true }),
    location: referenceField('dcim.location', { nullable: true, onDelete: 'set_null' }),
    group: referenceField('dcim.rackgroup', { nullable: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    status: choiceField(rackStatusChoices, { default: 'active' }),
    role: referenceField('dcim.rackrole', { nullable: true }),
    serial: textField({ max: 50, label: 'serial number' }),
    asset_tag: textField({ max: 50, nullable: true, blankAsNull: true }),
    rack_type: referenceField('dcim.racktype', { nullable: true }),
    form_factor: frame.rackFormFactorField,
    ...frame.rackSizeFields,
    ...frame.rackWeightFields,
    desc_units: frame.descendingRackUnitsField,
    ...frame.rackOuterDimensionFields,
    mounting_depth: frame.rackMountingDepthField,
    airflow: choiceField(
      { 'front-to-rear': 'Front to rear', 'rear-to-front': 'Rear to front' },
      { nullable: true, filterSingle: true },
    ),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringObjectCountField('dcim.device', { via: 'rack' }),
    powerfeed_count: referringObjectCountField('dcim.powerfeed', { via: 'rack' }),
  },
  display: createRackNameSql,
  brief: ['id', 'url', 'display', 'name', 'description', 'device_count'],
  nested: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'site' }, { field: 'location' }, { field: 'name' }, { field: 'id' }],
  search: common.createFieldSearchTerms('name', 'facility_id', 'serial', 'asset_tag', 'description', 'comments'),
  constraints: [
    { name: 'dcim_rack_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_rack_location_id_name_key', fields: ['location', 'name'] },
    { name: 'dcim_rack_location_id_facility_id_key', fields: ['location', 'facility_id'] },
    { name: 'dcim_rack_location_site', key: '__all__' },
    { name: 'dcim_rack_u_height', key: 'u_height' },
    { name: 'dcim_rack_starting_unit', key: 'starting_unit' },
    { name: 'dcim_rack_type_u_height', key: 'rack_type' },
    { name: 'dcim_rack_type_starting_unit', key: 'rack_type' },
    ...movedDeviceConstraints,
  ],
  rules: [frame.checkRackMeasureUnits],
  filters: [
    ...contactFilters,
    ...tenantGroupFilters,
    referencePathFilters('region', 'site.region'),
    referencePathFilters('site_group', 'site.group'),
    referencePathFilters('manufacturer', 'rack_type.manufacturer'),
  ],
});

/** Returns the SQL expression of a rack's display name: the name of the rack, followed by the facility id, if any. */
export function createRackNameSql(alias: string): SqlText {
  return `concat(${alias}.name, ' (' || nullif(${alias}.facility_id, '') || ')')`;
}
