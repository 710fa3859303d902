import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';

/** The device that has the component. */
export const device = ref('dcim.device', { required: true, onDelete: 'cascade', filterBy: 'name' });

/** The module that brought the component. */
export const module = ref('dcim.module', { nullable: true, onDelete: 'cascade', filterBy: null });

/** Differs within the device. */
export const name = text({ max: 64, required: true });

/** What is written on it. */
export const label = text({ max: 64 });
