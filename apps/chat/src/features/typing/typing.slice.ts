import { defineSlice } from '../../events/define-slice.js';
import { MessageTypingController } from './message-typing.controller.js';
import { messageTypingEvents } from './message-typing.events.js';
import { TellEditing } from './tell-editing.action.js';
import { TellTyping } from './tell-typing.action.js';
import { TypingController } from './typing.controller.js';
import { typingEvents } from './typing.events.js';

/** The slice of typing. */
export const typingSlice = defineSlice('typing', {
  controllers: [MessageTypingController, TypingController],
  providers: [TellEditing, TellTyping],
  events: [...messageTypingEvents, ...typingEvents],
});
