import { choiceField } from '../../engine/field-types/choice.js';
import { consolePortSpeeds, consolePortTypes } from './console-port-types.js';
import { definePortModel } from './define-port.js';

/** Model of a console port of a device. */
export const consolePortModel = definePortModel('dcim.consoleport', {
  path: 'dcim/console-ports',
  objectName: 'ConsolePort',
  verboseName: 'console port',
  fields: {
    type: choiceField(consolePortTypes, { nullable: true }),
    speed: choiceField(consolePortSpeeds, { numeric: true, nullable: true, rejectsBlank: true, filterSingle: true }),
  },
});
