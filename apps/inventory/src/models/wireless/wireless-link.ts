import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { decimal } from '../../engine/kinds/number.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import { linkStatus } from '../dcim/link-status.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { distanceUnits } from '../units.js';
import * as wireless from './authentication-fields.js';

/** A wireless connection between two interfaces. */
export const wirelessLink = defineModel('wireless.wirelesslink', {
  path: 'wireless/wireless-links',
  objectName: 'WirelessLink',
  verboseName: 'wireless link',
  verboseNamePlural: 'wireless links',
  fields: {
    ...common.identity,
    interface_a: ref('dcim.interface', { required: true, filterBy: null }),
    interface_b: ref('dcim.interface', { required: true, filterBy: null }),
    ssid: text({ max: 32 }),
    status: choice(linkStatus, { default: 'connected' }),
    tenant: ref('tenancy.tenant', { nullable: true }),
    ...wireless.authenticationFields,
    distance: decimal({ digits: 8, places: 2, nullable: true }),
    distance_unit: choice(distanceUnits, { nullable: true, filterSingle: true }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
  },
  display: (alias) => `coalesce(nullif(${alias}.ssid, ''), '#' || ${alias}.id)`,
  brief: ['id', 'url', 'display', 'ssid', 'description'],
  order: [{ sql: (alias) => `${alias}.id` }],
  search: common.searchIn('ssid', 'description'),
  constraints: [
    { name: 'wireless_wirelesslink_interface_a_id_interface_b_id_key', fields: ['interface_a', 'interface_b'] },
  ],
  // DRAFT rules: two wireless interfaces; unique pair; path tracing treats it as a link
  filters: tenantGroupFilters,
});
