export { ChangeReaction } from './change-reaction.action.js';
export { reactionEvents } from './reactions.events.js';
export { ReactionsController } from './reactions.controller.js';
