import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { countOf } from '../../engine/kinds/computed.js';
import { decimal } from '../../engine/kinds/number.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { weightUnits } from '../units.js';

const moduleTypeAirflow = {
  'front-to-rear': 'Front to rear',
  'rear-to-front': 'Rear to front',
  'left-to-right': 'Left to right',
  'right-to-left': 'Right to left',
  'side-to-rear': 'Side to rear',
  passive: 'Passive',
};

/** A model of module, with templates of its components. */
export const moduleType = defineModel('dcim.moduletype', {
  path: 'dcim/module-types',
  objectName: 'ModuleType',
  verboseName: 'module type',
  verboseNamePlural: 'module types',
  fields: {
    ...common.identity,
    profile: ref('dcim.moduletypeprofile', { nullable: true, filterBy: 'name' }),
    manufacturer: ref('dcim.manufacturer', { required: true }),
    model: text({ max: 100, required: true }),
    part_number: text({ max: 50 }),
    airflow: choice(moduleTypeAirflow, { nullable: true, filterSingle: true }),
    weight: decimal({ digits: 8, places: 2, nullable: true }),
    weight_unit: choice(weightUnits, { nullable: true, filterSingle: true }),
    description: common.description,
    // DRAFT field: attributes (json of column attribute_data, PATCH merges by key)
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    module_count: countOf('dcim.module', { via: 'module_type' }),
    console_port_template_count: countOf('dcim.consoleporttemplate', { via: 'module_type' }),
    console_server_port_template_count: countOf('dcim.consoleserverporttemplate', { via: 'module_type' }),
    power_port_template_count: countOf('dcim.powerporttemplate', { via: 'module_type' }),
    power_outlet_template_count: countOf('dcim.poweroutlettemplate', { via: 'module_type' }),
    interface_template_count: countOf('dcim.interfacetemplate', { via: 'module_type' }),
    front_port_template_count: countOf('dcim.frontporttemplate', { via: 'module_type' }),
    rear_port_template_count: countOf('dcim.rearporttemplate', { via: 'module_type' }),
    module_bay_template_count: countOf('dcim.modulebaytemplate', { via: 'module_type' }),
  },
  display: (alias) => `${alias}.model`,
  brief: ['id', 'url', 'display', 'profile', 'manufacturer', 'model', 'description', 'module_count'],
  order: [{ field: 'profile' }, { field: 'manufacturer' }, { field: 'model' }],
  search: [
    {
      sql: (alias) => `(SELECT r.name FROM dcim_manufacturer r WHERE r.id = ${alias}.manufacturer_id)`,
      lookup: 'icontains',
    },
    { sql: (alias) => `${alias}.model`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.part_number`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'dcim_moduletype_manufacturer_id_model_key', fields: ['manufacturer', 'model'] }],
  // DRAFT rules: attributes validated against the JSON schema of the profile (else cleared); PATCH merges attributes key by key
  // DRAFT filters: console_port_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: console_server_port_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: power_port_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: power_outlet_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: interface_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: front_port_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: rear_port_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: module_bay_template_count (integer, n lte lt gte gt empty)
  // DRAFT filters: module_count (integer, n lte lt gte gt empty)
  // DRAFT filters: console_ports (boolean, no lookups): has at least one
  // DRAFT filters: console_server_ports (boolean, no lookups): has at least one
  // DRAFT filters: power_ports (boolean, no lookups): has at least one
  // DRAFT filters: power_outlets (boolean, no lookups): has at least one
  // DRAFT filters: interfaces (boolean, no lookups): has at least one
  // DRAFT filters: pass_through_ports (boolean, no lookups): has front or rear ports
  // DRAFT filters: module_bays (boolean, no lookups): has at least one
});
