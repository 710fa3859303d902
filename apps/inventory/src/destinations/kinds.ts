import { chat } from './chat/index.js';
import type { Destination, EventAction } from './destination.js';
import { notification } from './notification/index.js';
import { script } from './script/index.js';
import { webhook } from './webhook/index.js';

/**
 * Actions of event rules, in the order shown to users. For an action that is a destination, a delivery is created for
 * each event.
 */
export const eventActions: readonly (EventAction | Destination)[] = [webhook, script, notification, chat];
