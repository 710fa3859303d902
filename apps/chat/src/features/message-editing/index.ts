export { EditMessage } from './edit-message.action.js';
export { GetHistory } from './get-history.query.js';
export { MessageEditingController } from './message-editing.controller.js';
export { RunMoves } from './run-moves.action.js';
export { messageEditingEvents } from './update-message.events.js';
