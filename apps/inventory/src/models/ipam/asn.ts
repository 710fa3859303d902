import { defineModel } from '../../engine/declaration/define-model.js';
import { relatedObjectFilterByCondition } from '../../engine/filter/relation-filter.js';
import { manyToManyCountField, manyToManyField, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

/** Largest allowed AS number, the maximum of four bytes (RFC 6793). */
const maxAsNumber = 4_294_967_295;

const asnSiteJoinTable = { table: 'dcim_site_asns', own: 'asn_id', other: 'site_id' };
const asnProviderJoinTable = { table: 'circuits_provider_asns', own: 'asn_id', other: 'provider_id' };

/** Creates a required field for the number of an autonomous system (AS). */
export const createAsNumberField = (options: { label?: string } = {}): ReturnType<typeof integerField> =>
  integerField({ required: true, min: 1, max: maxAsNumber, ...options });

const asnSiteGroupFilters = (['id', 'slug'] as const).map((by) =>
  relatedObjectFilterByCondition(by === 'id' ? 'site_group_id' : 'site_group', {
    target: { table: 'dcim_sitegroup' },
    by,
    below: true,
    matches: (alias, ids) =>
      `EXISTS (SELECT FROM dcim_site_asns pair JOIN dcim_site s ON s.id = pair.site_id WHERE pair.asn_id = ${alias}.id AND s.group_id = ANY (${ids}))`,
    isNull: (alias) =>
      `NOT EXISTS (SELECT FROM dcim_site_asns pair JOIN dcim_site s ON s.id = pair.site_id WHERE pair.asn_id = ${alias}.id AND s.group_id IS NOT NULL)`,
  }),
);

/** Model of an autonomous system (AS), with its number and sites. */
export const asnModel = defineModel('ipam.asn', {
  path: 'ipam/asns',
  objectName: 'ASN',
  verboseName: 'ASN',
  verboseNamePlural: 'ASNs',
  fields: {
    ...common.identityFields,
    asn: createAsNumberField({ label: 'ASN' }),
    rir: referenceField('ipam.rir', { nullable: true }),
    role: referenceField('ipam.role', { nullable: true, onDelete: 'set_null' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    site_count: manyToManyCountField(asnSiteJoinTable),
    provider_count: manyToManyCountField(asnProviderJoinTable),
    sites: manyToManyField('dcim.site', { join: asnSiteJoinTable, filter: { name: 'site', by: 'slug' } }),
  },
  display: (alias) => `'AS' || ${alias}.asn`,
  brief: ['id', 'url', 'display', 'asn', 'description'],
  order: [{ field: 'asn' }],
  search: [
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.asn`, lookup: 'number' },
  ],
  constraints: [{ name: 'ipam_asn_asn_key', fields: ['asn'] }],
  rules: [({ rir }) => (rir === null || rir === undefined ? { rir: ['This field cannot be null.'] } : null)],
  filters: [
    ...tenantGroupFilters,
    ...asnSiteGroupFilters,
    ...manyToManyFilters('provider', { table: 'circuits_provider' }, asnProviderJoinTable, 'slug'),
  ],
});
