import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { interfaceTypes } from '../dcim/interface-types.js';
import { linkStatusChoices } from '../dcim/link-status-choices.js';
import * as distance from '../distance-and-unit-fields.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import * as wireless from './authentication-fields.js';

const interfaceTypeLabels: ReadonlyMap<string, string> = new Map(Object.entries(interfaceTypes));

/** Model of a wireless link: a connection between two wireless interfaces. */
export const wirelessLinkModel = defineModel('wireless.wirelesslink', {
  path: 'wireless/wireless-links',
  objectName: 'WirelessLink',
  verboseName: 'wireless link',
  verboseNamePlural: 'wireless links',
  fields: {
    ...common.identityFields,
    interface_a: referenceField('dcim.interface', { required: true, filterBy: null, label: 'interface A' }),
    interface_b: referenceField('dcim.interface', { required: true, filterBy: null, label: 'interface B' }),
    ssid: textField({ max: 32, label: 'SSID' }),
    status: choiceField(linkStatusChoices, { default: 'connected' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    ...wireless.wirelessAuthenticationFields,
    ...distance.distanceFields,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `coalesce(nullif(${alias}.ssid, ''), '#' || ${alias}.id)`,
  brief: ['id', 'url', 'display', 'ssid', 'description'],
  order: [{ sql: (alias) => `${alias}.id` }],
  search: common.createFieldSearchTerms('ssid', 'description'),
  constraints: [
    { name: 'wireless_wirelesslink_interface_a_id_interface_b_id_key', fields: ['interface_a', 'interface_b'] },
    ...(['interface_a', 'interface_b'] as const).map((key) => ({
      name: `wireless_wirelesslink_${key}`,
      key,
      describe: (type: string) => `${interfaceTypeLabels.get(type) ?? type} is not a wireless interface.`,
    })),
  ],
  rules: [distance.checkDistanceHasUnit],
  hooks: {
    prepare: distance.clearUnitWithoutDistance,
    derived: { data: cablePathsAfterWriteHook, fields: ['interface_a', 'interface_b', 'status'] },
  },
  filters: tenantGroupFilters,
});
