import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { EditMessage } from './edit-message.action.js';
import { GetMessageEditHistory } from './get-edit-history.query.js';
import { MessageEditingController } from './message-editing.controller.js';
import { createMessageMoveJobs } from './message-editing.jobs.js';
import { RunStoredMoves } from './run-stored-moves.action.js';
import { messageEditingEvents } from './update-message.events.js';

/** Feature module (slice) that provides the endpoints, events and jobs for editing messages. */
export const messageEditingFeatureModule = defineFeatureModule('message-editing', {
  controllers: [MessageEditingController],
  providers: [EditMessage, RunStoredMoves, GetMessageEditHistory],
  events: messageEditingEvents,
  jobs: createMessageMoveJobs,
});
