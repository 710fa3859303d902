import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DeleteMessage } from './delete-message.action.js';
import { messageDeletionEvents } from './delete-message.events.js';
import { DeleteTopic } from './delete-topic.action.js';
import { MessageDeletionController } from './message-deletion.controller.js';

/** Feature module (slice) that provides the endpoints and events for deleting messages. */
export const messageDeletionFeatureModule = defineFeatureModule('message-deletion', {
  controllers: [MessageDeletionController],
  providers: [DeleteMessage, DeleteTopic],
  events: messageDeletionEvents,
});
