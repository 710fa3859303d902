import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AddSubmessage } from './add-submessage.action.js';
import { SubmessagesController } from './submessages.controller.js';
import { submessageEvents } from './submessages.events.js';

/**
 * Feature module (slice) of submessages, which are entries of polls and to-do lists. The module declares an endpoint
 * and an event.
 */
export const submessagesFeatureModule = defineFeatureModule('submessages', {
  controllers: [SubmessagesController],
  providers: [AddSubmessage],
  events: submessageEvents,
});
