import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { portTypes } from './port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A rear port that devices or modules of a type have. */
export const rearPortTemplate = defineModel('dcim.rearporttemplate', {
  path: 'dcim/rear-port-templates',
  objectName: 'RearPortTemplate',
  verboseName: 'rear port template',
  verboseNamePlural: 'rear port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(portTypes, { required: true }),
    color: color({ blank: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    // DRAFT field: front_ports (list of RearPortTemplateMappingSerializer, from dcim.porttemplatemapping.rear_port)
    description: common.description,
    ...common.times,
  },
  ...template.modular,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.searchIn('name', 'description'),
  constraints: template.uniqueNames('dcim_rearporttemplate'),
  rules: [template.hasOneType],
  // DRAFT filters: front_port_id (object_multi, n): path mappings.front_port
});
