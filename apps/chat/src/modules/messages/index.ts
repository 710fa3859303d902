export { MessagesController } from './messages.controller.js';
export { mostRecipients } from './destination.js';
export { SendMessage } from './send-message.action.js';
export { ListMessages } from './list-messages.query.js';
export { MatchesNarrow } from './matches-narrow.query.js';
export { ClientNames } from './client-names.js';
export { messageEvent, messageEvents } from './messages.events.js';
export { checkQueueNarrow } from './queue-narrow.js';
export { participantsKey } from './narrow/narrow-conditions.js';
export { callingFlags, flagBit, flagNames, historicalFlags, lockUserMessages } from './message-flags.js';
export { callsUpon, insertMessage } from './insert-message.repository.js';
export { messageSnapshotParts } from './history.snapshot.js';
export { type EditHistory, visibleEditHistory } from './edit-history.js';
export { accessibleMessages } from './narrow/accessible-messages.js';
export { mapInSlices } from './narrow/in-slices.js';
export { SqlParameters } from './narrow/sql-text.js';
export { flagsOfReceiver, packReceivers, type PeopleByFlags, receiversRecord } from './receivers.js';
export { isMeMessage, messageContent, messageTopic, newTopic, truncatedContent } from './message-text.js';
export { requireKnownRecipients } from './known-recipients.js';
export { resolveNames } from './resolve-names.js';
export { relinkUploads } from './link-uploads.js';
export { refuseLargeWildcards, topicExists, topicUnderPolicy } from './channel-conversation.js';
export { getChannelDestination, type ChannelDestination } from './channel-destination.repository.js';
export { internalClient, postNotice, type Notice, type NoticeTools } from './post-notice.js';
export { postDirectNotice, type DirectNotice } from './post-direct-notice.js';
export { missedTopic } from './note-missed.js';
export { GetMessage } from './get-message.query.js';
export {
  type MessageRecord,
  personRecord,
  type PersonRecord,
  reactionRecord,
  submessageRecord,
  topicLink,
} from './message-record.js';
export { messageSelection, type MessageSelection } from './anchor.js';
export { pickedMessages } from './messages-page.repository.js';
export { selectedMessages, selectMessages } from './narrow/select-messages.js';
export { narrowParameter } from './narrow/narrow-terms.js';
export { indexOrder, oneTopic } from './narrow/id-stream.js';
export { prepareNarrow } from './narrow/prepare-narrow.js';
export { removeEmptyTopics } from './remove-empty-topics.repository.js';
export {
  mostEdits,
  renamingsSince,
  shownHistory,
  shownMoveTime,
  shownTopicSql,
  topicId,
  topicJoin,
} from './topic-row.js';
export { addSubmessage, widgetOf } from './widget.js';
export { RenderMessage } from './render-message.query.js';
export { type BotCall, botCallTopic } from './call-bots.js';
export { toWireMessage } from './wire-message.js';
