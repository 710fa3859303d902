export { TellTyping } from './tell-typing.action.js';
export { TypingController } from './typing.controller.js';
export { typingEvents } from './typing.events.js';
