import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { colorField } from '../../engine/field-types/text.js';
import { definePortModel } from './define-port.js';
import { powerFeedLegs, powerOutletTypes } from './power-outlet-types.js';

const powerOutletStatusChoices = { enabled: 'Enabled', disabled: 'Disabled', faulty: 'Faulty' };

/** Model of a power outlet of a device. */
export const powerOutletModel = definePortModel('dcim.poweroutlet', {
  path: 'dcim/power-outlets',
  objectName: 'PowerOutlet',
  verboseName: 'power outlet',
  fields: {
    type: choiceField(powerOutletTypes, { nullable: true }),
    status: choiceField(powerOutletStatusChoices, { default: 'enabled' }),
    color: colorField({ blank: true }),
    power_port: referenceField('dcim.powerport', { nullable: true, onDelete: 'set_null', filterBy: null }),
    feed_leg: choiceField(powerFeedLegs, { nullable: true }),
  },
  constraints: [{ name: 'dcim_poweroutlet_power_port' }],
});
