import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MarkMessagesRead } from './mark-read.action.js';
import { MessageFlagsController } from './message-flags.controller.js';
import { messageFlagEvents } from './message-flags.events.js';
import { UpdateMessageFlags } from './update-flags.action.js';

/** Feature module (slice) of message flags. The module declares endpoints and events. */
export const messageFlagsFeatureModule = defineFeatureModule('message-flags', {
  controllers: [MessageFlagsController],
  providers: [MarkMessagesRead, UpdateMessageFlags],
  events: messageFlagEvents,
});
