import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MessageTypingController } from './message-typing.controller.js';
import { editTypingEvents } from './message-typing.events.js';
import { SendEditTypingNotification } from './send-edit-typing-notification.action.js';
import { SendTypingNotification } from './send-typing-notification.action.js';
import { TypingController } from './typing.controller.js';
import { typingEvents } from './typing.events.js';

/** Feature module (slice) of typing notifications. The module declares endpoints and events. */
export const typingFeatureModule = defineFeatureModule('typing', {
  controllers: [MessageTypingController, TypingController],
  providers: [SendEditTypingNotification, SendTypingNotification],
  events: [...editTypingEvents, ...typingEvents],
});
