import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MessagesController } from './messages.controller.js';
import { GetMessage } from './read/get-message.query.js';
import { messageSnapshotParts } from './read/newest-messages.snapshot.js';
import { ListMessages } from './read/list-messages.query.js';
import { CheckMessagesMatchNarrow } from './read/check-messages-match-narrow.query.js';
import { ClientProgramIdCache } from './send/stored-client-names.js';
import { RenderMessage } from './send/render-message.query.js';
import { SendMessage } from './send/send-message.action.js';
import { messageEventTypes } from './wire/messages.events.js';

/** Feature module (slice) that provides the endpoints, events and response parts of messages. */
export const messagesFeatureModule = defineFeatureModule('messages', {
  controllers: [MessagesController],
  providers: [ClientProgramIdCache, GetMessage, ListMessages, CheckMessagesMatchNarrow, RenderMessage, SendMessage],
  events: messageEventTypes,
  snapshotParts: messageSnapshotParts,
});
