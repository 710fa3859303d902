export { MessageTypingController } from './message-typing.controller.js';
export { messageTypingEvents } from './message-typing.events.js';
export { TellEditing } from './tell-editing.action.js';
export { TellTyping } from './tell-typing.action.js';
export { TypingController } from './typing.controller.js';
export { typingEvents } from './typing.events.js';
