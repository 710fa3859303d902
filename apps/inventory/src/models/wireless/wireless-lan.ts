import { defineModel } from '../../engine/declaration/define-model.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as place from '../dcim/scope-fields.js';
import { placeScopeFilters } from '../dcim/scope-filters.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import * as wireless from './authentication-fields.js';

const wirelessLanStatusChoices = {
  active: 'Active',
  reserved: 'Reserved',
  disabled: 'Disabled',
  deprecated: 'Deprecated',
};

/** Model of a wireless network (wireless LAN). */
export const wirelessLanModel = defineModel('wireless.wirelesslan', {
  path: 'wireless/wireless-lans',
  objectName: 'WirelessLAN',
  verboseName: 'wireless LAN',
  verboseNamePlural: 'wireless LANs',
  resetOnPut: ['scope_type', 'scope_id'],
  fields: {
    ...common.identityFields,
    ssid: textField({ max: 32, required: true, label: 'SSID' }),
    description: common.descriptionField,
    group: referenceField('wireless.wirelesslangroup', { nullable: true, onDelete: 'set_null' }),
    status: choiceField(wirelessLanStatusChoices, { default: 'active' }),
    vlan: referenceField('ipam.vlan', { nullable: true, filterBy: null, label: 'VLAN' }),
    ...place.placeScopeFields,
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    ...wireless.wirelessAuthenticationFields,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.ssid`,
  brief: ['id', 'url', 'display', 'ssid', 'description'],
  order: [{ field: 'ssid' }],
  search: common.createFieldSearchTerms('ssid', 'description'),
  filters: [
    ...tenantGroupFilters,
    placeScopeFilters,
    relatedObjectFilter('interface_id', [resolveStepToReferringObjects('dcim.interface', 'wireless_lans')]),
  ],
});
