import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { portTypes } from './port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A front port that devices or modules of a type have. */
export const frontPortTemplate = defineModel('dcim.frontporttemplate', {
  path: 'dcim/front-port-templates',
  objectName: 'FrontPortTemplate',
  verboseName: 'front port template',
  verboseNamePlural: 'front port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(portTypes, { required: true }),
    color: color({ blank: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    // DRAFT field: rear_ports (list of FrontPortTemplateMappingSerializer, from dcim.porttemplatemapping.front_port)
    description: common.description,
    ...common.times,
  },
  ...template.modular,
  brief: ['id', 'url', 'display', 'name', 'description'],
  search: common.searchIn('name', 'description'),
  constraints: template.uniqueNames('dcim_frontporttemplate'),
  rules: [template.hasOneType],
  // DRAFT filters: rear_port_id (object_multi, n): path mappings.rear_port
});
