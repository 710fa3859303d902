export { MessageTypingController } from './message-typing.controller.js';
export { messageTypingEvents } from './message-typing.events.js';
export { TellEditing } from './tell-editing.action.js';
