import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { serverVersionEvents } from './server-version.events.js';

/** Feature module (slice) of the server version. The module declares one event. */
export const serverVersionFeatureModule = defineFeatureModule('server-version', {
  events: serverVersionEvents,
});
