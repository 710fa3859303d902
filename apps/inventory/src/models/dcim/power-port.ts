import { choiceField } from '../../engine/field-types/choice.js';
import { definePortModel } from './define-port.js';
import * as power from './power-draw-fields.js';
import { powerPortTypes } from './power-port-types.js';

/** Model of a power port: the power inlet of a device. */
export const powerPortModel = definePortModel('dcim.powerport', {
  path: 'dcim/power-ports',
  objectName: 'PowerPort',
  verboseName: 'power port',
  fields: {
    type: choiceField(powerPortTypes, { nullable: true }),
    ...power.powerDrawFields,
  },
  rules: [power.checkAllocatedPowerDraw],
});
