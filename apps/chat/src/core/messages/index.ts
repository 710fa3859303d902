export { messagesFeatureModule } from './messages.slice.js';
export { maxDirectMessageRecipients } from './send/parse-recipients.js';
export { type CheckedMessageWithConversation, SendMessage } from './send/send-message.action.js';
export { LockedSendDestinations } from './send/locked-send-destinations.js';
export type { InsertedMessage } from './send/inserted-message-row.js';
export { validateMessage } from './send/validate-message.js';
export { retryFailedMessageSend } from './send/retry-failed-send.js';
export { RestartSendError, type ChannelSendLock } from './send/channel-recipients.repository.js';
export { findReadableMessage } from './read/find-readable-message.js';
export { ClientProgramIdCache } from './send/stored-client-names.js';
export { checkEventQueueNarrow, areMessagesMatchingConversationTerms } from './read/event-queue-narrow.js';
export { createDirectConversationLookupKey } from './read/narrow/narrow-conditions.js';
export {
  mentionMessageFlagBits,
  messageFlagBits,
  listMessageFlagNames,
  historicalMessageFlagBits,
  lockUserMessageRowsSql,
} from './wire/message-flag-bits.js';
export { hasMentions, insertMessage } from './send/insert-message.repository.js';
export { type EditHistory, selectVisibleEditHistory } from './wire/edit-history.js';
export { selectAccessibleMessageClauses, selectAccessibleMessagesSql } from './read/narrow/accessible-messages.js';
export { mapWithEventLoopPauses } from './read/narrow/map-with-event-loop-pauses.js';
export { NumberedSqlParameters } from './read/narrow/numbered-sql-parameters.js';
export {
  getFlagsOfRecipient,
  packMessageRecipientFlags,
  type UserIdsByMessageFlags,
  messageRecipientsSchema,
} from './send/pack-message-recipients.js';
export {
  isMeMessage,
  normalizeMessageContent,
  normalizeMessageTopic,
  normalizeTopicForSending,
  truncateMessageContent,
} from './send/normalize-message-text.js';
export { rejectHiddenRecipients } from './send/reject-hidden-recipients.js';
export { resolveMarkdownNames } from './send/resolve-markdown-names.js';
export { updateUploadReferences } from './send/link-uploads-to-message.js';
export { decodeUploadPathId, toUploadedMedia } from './send/linked-uploads.repository.js';
export { rejectLargeWildcardMention, doesTopicExist, checkEmptyTopicPolicy } from './send/channel-conversation.js';
export { getChannelDestination, type ChannelDestination } from './send/channel-destination.repository.js';
export {
  internalClientName,
  postNotificationBotMessage,
  type NotificationBotMessage,
  type NotificationBotDependencies,
} from './notification-bot/post-notification-bot-message.js';
export { postSystemBotMessage } from './notification-bot/post-system-bot-message.js';
export { enqueueMissedMessageCheck, missedMessageCheckOutboxMessage } from './send/enqueue-missed-message-check.js';
export {
  type MessageRecord,
  messagePersonRecordSchema,
  type MessagePersonRecord,
  reactionRecordSchema,
  topicLinkSchema,
} from './wire/message-record-schema.js';
export { parseMessageSelection, type MessageSelection } from './read/parse-message-anchor.js';
export { selectedMessagesSql } from './read/messages-page.repository.js';
export { createSelectedMessagesSql, findAnchorAndPageMessages } from './read/narrow/select-messages-of-narrow.js';
export { narrowParameter } from './read/narrow/parse-narrow-terms.js';
export { createMessageIndexOrderBy } from './read/narrow/message-id-index-ranges.js';
export { parseAndCheckNarrow } from './read/narrow/prepare-narrow.js';
export {
  type EmptyTopicRange,
  findEmptyTopicRange,
  isTopicStillEmpty,
  removeEmptyTopics,
  removeTopicEmptyOutsideRange,
} from './topics/empty-topics.repository.js';
export {
  maxEditHistoryEntries,
  createTopicRenamingHistorySql,
  shownHistorySql,
  shownMoveTimeSql,
  shownTopicSql,
  topicIdSql,
  topicJoinSql,
} from './topics/topic-row-sql.js';
export { addSubmessage } from './send/message-widgets.js';
export { type BotServiceRequest, botServiceRequestOutboxMessage } from './send/enqueue-bot-calls.js';
export { toWireMessage } from './wire/wire-message.js';
