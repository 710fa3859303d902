import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { colorField } from '../../engine/field-types/text.js';
import { definePortModel } from './define-port.js';
import { createPortMappingsField, createPortMappingConstraints } from './port-mappings.js';
import { portTypes } from './port-types.js';

/** Model of a rear port: a port at the back of a patch panel, connected to front ports. */
export const rearPortModel = definePortModel('dcim.rearport', {
  path: 'dcim/rear-ports',
  objectName: 'RearPort',
  verboseName: 'rear port',
  fields: {
    type: choiceField(portTypes, { required: true }),
    color: colorField({ blank: true }),
    positions: integerField({ min: 1, max: 1024, default: 1 }),
    front_ports: createPortMappingsField('dcim_portmapping', 'rear_port', 'dcim.frontport'),
  },
  endsPaths: false,
  pathFields: ['positions', 'front_ports'],
  constraints: createPortMappingConstraints('dcim_portmapping', 'dcim_rearport', 'front_ports'),
});
