import { defineModel } from '../../engine/declaration/define-model.js';
import { stringFilter, excludeLookups } from '../../engine/filter/string-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { decimalField } from '../../engine/field-types/number.js';
import { manyToManyField, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { asNumberListSql } from '../ipam/as-number-list-sql.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { createScopedObjectCountField } from './scope-filters.js';

const siteStatusChoices = {
  planned: 'Planned',
  staging: 'Staging',
  active: 'Active',
  decommissioning: 'Decommissioning',
  retired: 'Retired',
};

const validTimeZoneNames = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', 'GMT']);

const siteAsnJoinTable = { table: 'dcim_site_asns', own: 'site_id', other: 'asn_id' };

/** Model of a site: a place with an address that contains equipment. */
export const siteModel = defineModel('dcim.site', {
  path: 'dcim/sites',
  objectName: 'Site',
  verboseName: 'site',
  verboseNamePlural: 'sites',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    status: choiceField(siteStatusChoices, { default: 'active' }),
    region: referenceField('dcim.region', { nullable: true, onDelete: 'set_null' }),
    group: referenceField('dcim.sitegroup', { nullable: true, onDelete: 'set_null' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    facility: textField({ max: 50 }),
    time_zone: textField({ max: 63, nullable: true, blank: false, label: 'time zone' }),
    description: common.descriptionField,
    physical_address: textField({ max: 200, label: 'physical address', filterable: false }),
    shipping_address: textField({ max: 200, label: 'shipping address', filterable: false }),
    latitude: decimalField({ digits: 8, places: 6, min: -90, max: 90, nullable: true }),
    longitude: decimalField({ digits: 9, places: 6, min: -180, max: 180, nullable: true }),
    owner: common.ownerField,
    comments: common.commentsField,
    asns: manyToManyField('ipam.asn', {
      join: siteAsnJoinTable,
    }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    circuit_count: referringObjectCountField('circuits.circuittermination', { via: '_site' }),
    device_count: referringObjectCountField('dcim.device', { via: 'site' }),
    prefix_count: createScopedObjectCountField('ipam.prefix', 'dcim.site'),
    rack_count: referringObjectCountField('dcim.rack', { via: 'site' }),
    virtualmachine_count: referringObjectCountField('virtualization.virtualmachine', { via: 'site' }),
    vlan_count: referringObjectCountField('ipam.vlan', { via: 'site' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'slug'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms(
    'name',
    'facility',
    'description',
    'physical_address',
    'shipping_address',
    'comments',
  ),
  constraints: [
    { name: 'dcim_site_name_key', fields: ['name'] },
    { name: 'dcim_site_slug_key', fields: ['slug'] },
  ],
  rules: [
    ({ time_zone: zone }) =>
      zone === null || zone === undefined || validTimeZoneNames.has(zone)
        ? null
        : { time_zone: [`A valid timezone is required.`] },
  ],
  filters: [
    ...contactFilters,
    ...tenantGroupFilters,
    ...manyToManyFilters('asn', asNumberListSql, siteAsnJoinTable, 'asn'),
    excludeLookups(stringFilter('time_zone'), 'empty'),
  ],
});
