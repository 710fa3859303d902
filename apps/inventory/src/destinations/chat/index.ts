import { defineEventDestination } from '../define-destination.js';
import { chatDestinationModel } from './model.js';
import { buildChatMessageRequest, type StoredChatDestination } from './request.js';
import { findErrorOfChatResponse } from './response.js';

/** Destination that sends a message to a channel of a chat server with the Zulip API (`POST /api/v1/messages`). */
export const chatDestinationKind = defineEventDestination<StoredChatDestination, 'bot_key'>({
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
  build: buildChatMessageRequest,
  checkResponse: findErrorOfChatResponse,
});
