import { chat } from './chat/index.js';
import type { Destination, EventAction } from './define-destination.js';
import { notification } from './notification/index.js';
import { script } from './script/index.js';
import { webhook } from './webhook/index.js';

/**
 * Actions of event rules, in the order shown to users. If the action is a destination, each event creates a delivery.
 */
export const eventActions: readonly (EventAction | Destination)[] = [webhook, script, notification, chat];
