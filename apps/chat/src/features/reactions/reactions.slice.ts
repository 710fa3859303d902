import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ReactionService } from './change-reaction.action.js';
import { ReactionsController } from './reactions.controller.js';
import { reactionEvents } from './reactions.events.js';

/** Feature module (slice) of reactions. The module declares endpoints and events. */
export const reactionsFeatureModule = defineFeatureModule('reactions', {
  controllers: [ReactionsController],
  providers: [ReactionService],
  events: reactionEvents,
});
