export { MarkRead } from './mark-read.action.js';
export { flagsAddEvent, messageFlagEvents } from './message-flags.events.js';
export { MessageFlagsController } from './message-flags.controller.js';
export { UpdateFlags } from './update-flags.action.js';
