import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import * as cabled from './cabled-fields.js';

const powerFeedStatusChoices = { offline: 'Offline', active: 'Active', planned: 'Planned', failed: 'Failed' };

/** Model of a power feed: an electrical line from a power panel to a rack. */
export const powerFeedModel = defineModel('dcim.powerfeed', {
  path: 'dcim/power-feeds',
  objectName: 'PowerFeed',
  verboseName: 'power feed',
  verboseNamePlural: 'power feeds',
  resetOnPut: ['rack', 'status', 'type', 'supply', 'phase'],
  fields: {
    ...common.identityFields,
    power_panel: referenceField('dcim.powerpanel', { required: true, filterBy: null }),
    rack: referenceField('dcim.rack', { nullable: true, filterBy: null }),
    name: common.requiredNameField,
    status: choiceField(powerFeedStatusChoices, { default: 'active' }),
    type: choiceField({ primary: 'Primary', redundant: 'Redundant' }, { default: 'primary', filterSingle: true }),
    supply: choiceField({ ac: 'AC', dc: 'DC' }, { default: 'ac', filterSingle: true }),
    phase: choiceField(
      { 'single-phase': 'Single phase', 'three-phase': 'Three-phase' },
      { default: 'single-phase', filterSingle: true },
    ),
    voltage: integerField({ min: -32_768, max: 32_767, default: 120 }),
    amperage: integerField({ min: 1, max: 32_767, default: 15 }),
    max_utilization: integerField({ min: 1, max: 100, default: 80 }),
    ...cabled.componentCableFields,
    ...cabled.createLinkPeerFields(),
    ...cabled.connectedEndpointFields,
    description: common.descriptionField,
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    _occupied: cabled.componentOccupiedField,
  },
  changeLogMembers: {
    ...cabled.componentCableChangeMembers,
    available_power: (alias) => `${createAvailablePowerSql(alias)}::text`,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'cable', '_occupied'],
  nested: ['id', 'url', 'display', 'name', 'cable', 'description', '_occupied'],
  order: [{ field: 'power_panel' }, { field: 'name' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    common.createOtherTableSearchTerms('dcim_powerfeed', 'power_panel_id', 'dcim_powerpanel', 'name'),
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'dcim_powerfeed_power_panel_id_name_key', fields: ['power_panel', 'name'] },
    { name: 'dcim_powerfeed_rack_site', key: '__all__' },
    cabled.createMarkedConnectedConstraint('dcim_powerfeed'),
  ],
  hooks: { derived: { data: cablePathsAfterWriteHook, fields: [] } },
  rules: [
    ({ voltage }) => (voltage === 0 ? { voltage: ['This value may not be 0.'] } : null),
    ({ voltage, supply }) =>
      supply === 'ac' && (voltage ?? 0) < 0 ? { voltage: ['Voltage cannot be negative for AC supply'] } : null,
  ],
  filters: [
    ...tenantGroupFilters,
    referencePathFilters('region', 'power_panel.site.region'),
    referencePathFilters('site_group', 'power_panel.site.group'),
    referencePathFilters('site', 'power_panel.site'),
    integerFilter('available_power', createAvailablePowerSql),
    ...cabled.createComponentCableFilters(),
    cabled.connectedComponentFilter,
  ],
});

/**
 * Returns the SQL expression of a power feed's available power in volt-amperes. For a feed with three phases, the
 * product of voltage and current is multiplied by the square root of three (docs/contract/inventory.md 3.3).
 */
export function createAvailablePowerSql(alias: string): SqlText {
  const factor = `CASE ${alias}.phase WHEN 'three-phase' THEN 1.732 ELSE 1 END`;
  return `round(abs(${alias}.voltage) * ${alias}.amperage::numeric * ${alias}.max_utilization / 100 * ${factor})`;
}
