import { messageEvent } from '../modules/messages/index.js';
import { realmUserAddEvent } from '../modules/users/index.js';

/** Every event that this service emits, beside heartbeats. */
export const eventTypes = [messageEvent, realmUserAddEvent] as const;
