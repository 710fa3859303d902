import { defineDestination } from '../define-destination.js';
import { chatDestinationModel } from './model.js';
import { buildMessageRequest, type StoredChatDestination } from './request.js';
import { checkChatResponse } from './response.js';

/** Destination that sends a message to a channel of a chat server with the Zulip API (`POST /api/v1/messages`). */
export const chatDestinationKind = defineDestination<StoredChatDestination, 'bot_key'>({
  actionType: 'chat',
  label: 'Chat',
  model: chatDestinationModel,
  features: ['export_templates', 'tags'],
  columns: {
    serverUrl: 'server_url',
    botEmail: 'bot_email',
    botKey: 'bot_key',
    channel: 'channel',
    topicTemplate: 'topic_template',
    messageTemplate: 'message_template',
  },
  secretFields: ['bot_key'],
  receiverColumn: 'server_url',
  build: buildMessageRequest,
  checkResponse: checkChatResponse,
});
