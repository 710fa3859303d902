export { messageEditingSlice } from './message-editing.slice.js';
export { RunMoves } from './run-stored-moves.action.js';
