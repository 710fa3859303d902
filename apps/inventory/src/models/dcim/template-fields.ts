import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';

/** The type that has the template, and what the component is called. */
export const ofType = {
  device_type: ref('dcim.devicetype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  module_type: ref('dcim.moduletype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  name: text({ max: 64, required: true }),
  label: text({ max: 64 }),
};

/** May hold placeholders. */
export const name = text({ max: 64, required: true });

/** May hold placeholders. */
export const label = text({ max: 64 });
