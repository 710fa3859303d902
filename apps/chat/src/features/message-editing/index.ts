export { messageEditingFeatureModule } from './message-editing.slice.js';
export { RunStoredMoves } from './run-stored-moves.action.js';
