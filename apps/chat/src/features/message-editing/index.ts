export { messageEditingSlice } from './message-editing.slice.js';
export { RunMoves } from './run-moves.action.js';
