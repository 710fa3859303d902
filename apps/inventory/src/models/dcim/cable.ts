import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { decimal } from '../../engine/kinds/number.js';
import { ref } from '../../engine/kinds/relation.js';
import { color, text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { cableProfiles } from './cable-profiles.js';
import { cableTypes } from './cable-types.js';
import { linkStatus } from './link-status.js';

const cableLengthUnit = { km: 'Kilometers', m: 'Meters', cm: 'Centimeters', mi: 'Miles', ft: 'Feet', in: 'Inches' };

/** What connects components, with any number of ends on both sides. */
export const cable = defineModel('dcim.cable', {
  path: 'dcim/cables',
  objectName: 'Cable',
  verboseName: 'cable',
  verboseNamePlural: 'cables',
  fields: {
    ...common.identity,
    type: choice(cableTypes, { nullable: true, raw: true }),
    // DRAFT field: a_terminations (list of {object_type, object_id, object}, kept in dcim_cabletermination); b_terminations (list of {object_type, object_id, object}, kept in dcim_cabletermination)
    status: choice(linkStatus, { default: 'connected' }),
    profile: choice(cableProfiles, { nullable: true }),
    tenant: ref('tenancy.tenant', { nullable: true }),
    bundle: ref('dcim.cablebundle', { nullable: true, onDelete: 'set_null', filterBy: 'name' }),
    label: text({ max: 100 }),
    color: color({ blank: true }),
    length: decimal({ digits: 8, places: 2, nullable: true }),
    length_unit: choice(cableLengthUnit, { nullable: true, filterSingle: true }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
  },
  display: (alias) => `coalesce(nullif(${alias}.label, ''), '#' || ${alias}.id)`,
  brief: ['id', 'url', 'display', 'label', 'description'],
  order: [{ sql: (alias) => `${alias}.id` }],
  search: common.searchIn('label', 'description'),
  // DRAFT rules: a/b_terminations are lists of {object_type, object_id}; both needed on create; one type per side; types must be compatible; a termination takes one cable; length needs length_unit; profile limits and maps positions; saving retraces paths; status other than connected makes the path inactive
  // DRAFT filters: termination_a_type (object_type, n): path terminations.termination_type
  // DRAFT filters: termination_a_id (integer, no lookups): id of an A-side termination
  // DRAFT filters: termination_b_type (object_type, n): path terminations.termination_type
  // DRAFT filters: termination_b_id (integer, no lookups): id of a B-side termination
  // DRAFT filters: unterminated (boolean, no lookups): true: lacks an A or a B termination; false: has both
  // DRAFT filters: device_id (integer, no lookups): a termination belongs to the device (id)
  // DRAFT filters: device (string, no lookups): a termination belongs to the device (name)
  // DRAFT filters: rack_id (integer, no lookups): a termination is in the rack (id)
  // DRAFT filters: rack (string, no lookups): a termination is in the rack (name)
  // DRAFT filters: location_id (integer, no lookups): a termination is in the location (id)
  // DRAFT filters: location (string, no lookups): a termination is in the location (name)
  // DRAFT filters: site_id (integer, no lookups): a termination is in the site (id)
  // DRAFT filters: site (string, no lookups): a termination is in the site (slug)
  // DRAFT filters: consoleport_id (integer, no lookups): terminates on that consoleport id
  // DRAFT filters: consoleserverport_id (integer, no lookups): terminates on that consoleserverport id
  // DRAFT filters: powerport_id (integer, no lookups): terminates on that powerport id
  // DRAFT filters: poweroutlet_id (integer, no lookups): terminates on that poweroutlet id
  // DRAFT filters: interface_id (integer, no lookups): terminates on that interface id
  // DRAFT filters: frontport_id (integer, no lookups): terminates on that frontport id
  // DRAFT filters: rearport_id (integer, no lookups): terminates on that rearport id
  // DRAFT filters: powerfeed_id (integer, no lookups): terminates on that powerfeed id
  // DRAFT filters: circuittermination_id (integer, no lookups): terminates on that circuittermination id
  filters: tenantGroupFilters,
});
