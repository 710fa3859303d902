import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { colorField } from '../../engine/field-types/text.js';
import { definePortModel } from './define-port.js';
import { createPortMappingsField, createPortMappingConstraints } from './port-mappings.js';
import { portTypes } from './port-types.js';

/** Model of a front port: a port at the front of a patch panel, connected to rear ports. */
export const frontPortModel = definePortModel('dcim.frontport', {
  path: 'dcim/front-ports',
  objectName: 'FrontPort',
  verboseName: 'front port',
  fields: {
    type: choiceField(portTypes, { required: true }),
    color: colorField({ blank: true }),
    positions: integerField({ min: 1, max: 1024, default: 1 }),
    rear_ports: createPortMappingsField('dcim_portmapping', 'front_port', 'dcim.rearport'),
  },
  endsPaths: false,
  pathFields: ['positions', 'rear_ports'],
  constraints: createPortMappingConstraints('dcim_portmapping', 'dcim_frontport', 'rear_ports'),
});
