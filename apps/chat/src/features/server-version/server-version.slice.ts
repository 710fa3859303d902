import { defineSlice } from '../../events/define-slice.js';
import { serverVersionEvents } from './server-version.events.js';

/** The slice of the server version: an event. */
export const serverVersionSlice = defineSlice('server-version', {
  events: serverVersionEvents,
});
