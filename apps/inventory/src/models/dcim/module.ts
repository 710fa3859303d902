import { defineModel } from '../../engine/declaration/model.js';
import { along } from '../../engine/filter/path-filter.js';
import { choice } from '../../engine/kinds/choice.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { installedStatus } from './installed-status.js';

/** Hardware in a bay of a device, with components of its own. */
export const module = defineModel('dcim.module', {
  path: 'dcim/modules',
  objectName: 'Module',
  verboseName: 'module',
  verboseNamePlural: 'modules',
  fields: {
    ...common.identity,
    device: ref('dcim.device', { required: true, onDelete: 'cascade', filterBy: 'name' }),
    module_bay: ref('dcim.modulebay', { required: true, onDelete: 'cascade', filterBy: null }),
    module_type: ref('dcim.moduletype', { required: true, filterBy: 'model' }),
    status: choice(installedStatus, { default: 'active' }),
    serial: text({ max: 50, label: 'serial number' }),
    asset_tag: text({ max: 50, nullable: true, blankAsNull: true }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    // DRAFT field: replicate_components (write-only, acts on create); adopt_components (write-only, acts on create)
  },
  display: (alias) =>
    `(SELECT b.name FROM dcim_modulebay b WHERE b.id = ${alias}.module_bay_id) || ': ' || (SELECT m.model FROM dcim_moduletype m WHERE m.id = ${alias}.module_type_id) || ' (' || ${alias}.id || ')'`,
  brief: ['id', 'url', 'display', 'device', 'module_bay', 'module_type', 'description'],
  order: [{ field: 'module_bay' }],
  search: [
    { sql: (alias) => `(SELECT r.name FROM dcim_device r WHERE r.id = ${alias}.device_id)`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.serial`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.asset_tag`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'dcim_module_module_bay_id_key', fields: ['module_bay'] },
    { name: 'dcim_module_asset_tag_key', fields: ['asset_tag'] },
  ],
  // DRAFT rules: module_bay must belong to the device, be enabled, and hold one module; replicate_components (default true) and adopt_components (default false) are write-only and act on create only; name clashes are a 400
  // DRAFT filters: location_id (object_multi, n): path device.location
  // DRAFT filters: location (object_multi, n): path device.location.slug
  filters: [
    along('profile', 'module_type.profile', 'name'),
    along('manufacturer', 'module_type.manufacturer'),
    along('region', 'device.site.region'),
    along('site_group', 'device.site.group'),
    along('site', 'device.site'),
    along('rack', 'device.rack', 'name'),
  ],
});
