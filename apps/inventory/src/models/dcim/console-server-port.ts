import { choiceField } from '../../engine/field-types/choice.js';
import { consolePortSpeeds, consolePortTypes } from './console-port-types.js';
import { definePortModel } from './define-port.js';

/** Model of a console server port: a port of a device that gives access to the consoles of other devices. */
export const consoleServerPortModel = definePortModel('dcim.consoleserverport', {
  path: 'dcim/console-server-ports',
  objectName: 'ConsoleServerPort',
  verboseName: 'console server port',
  fields: {
    type: choiceField(consolePortTypes, { nullable: true }),
    speed: choiceField(consolePortSpeeds, { numeric: true, nullable: true, rejectsBlank: true, filterSingle: true }),
  },
});
