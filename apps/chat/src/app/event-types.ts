import { linkifierEvents } from '../features/linkifiers/index.js';
import { channelFolderEvents } from '../features/channel-folders/index.js';
import { streamEvents, subscriptionEvents } from '../core/channels/index.js';
import { messageDeletionEvents } from '../features/message-deletion/index.js';
import { messageEditingEvents } from '../features/message-editing/index.js';
import { messageFlagEvents } from '../features/message-flags/index.js';
import { messageTypingEvents, typingEvents } from '../features/typing/index.js';
import { messageEvents } from '../core/messages/index.js';
import { reactionEvents } from '../features/reactions/index.js';
import { serverVersionEvents } from '../features/server-version/index.js';
import { realmEvents } from '../core/realms/index.js';
import { submessageEvents } from '../features/submessages/index.js';
import { userGroupEvents } from '../core/user-groups/index.js';
import { userTopicEvents } from '../core/user-topics/index.js';
import { userEvents } from '../core/users/index.js';
import { customEmojiEvents } from '../features/custom-emoji/index.js';
import { attachmentEvents } from '../core/attachments/index.js';
import { draftEvents } from '../features/drafts/index.js';
import { savedSnippetEvents } from '../features/saved-snippets/index.js';
import { navigationViewEvents } from '../features/navigation-views/index.js';
import { settingsEvents } from '../features/settings/index.js';
import { profileFieldEvents } from '../features/profile-fields/index.js';
import { invitationEvents } from '../features/invitations/index.js';
import { realmDomainEvents } from '../features/realm-domains/index.js';
import { alertWordEvents } from '../features/alert-words/index.js';
import { mutedUserEvents } from '../features/muted-users/index.js';
import { presenceEvents } from '../features/presence/index.js';
import { deviceEvents } from '../features/devices/index.js';
import { videoCallEvents } from '../features/video-calls/index.js';
import type { AnyEventType } from '../events/event-type.js';

/** Every event that this service emits, beside heartbeats. Each module declares its own in its `*.events.ts`. */
export const eventTypes: readonly AnyEventType[] = [
  ...channelFolderEvents,
  ...linkifierEvents,
  ...messageDeletionEvents,
  ...messageEditingEvents,
  ...messageFlagEvents,
  ...messageTypingEvents,
  ...messageEvents,
  ...reactionEvents,
  ...serverVersionEvents,
  ...realmEvents,
  ...streamEvents,
  ...subscriptionEvents,
  ...submessageEvents,
  ...userGroupEvents,
  ...userEvents,
  ...userTopicEvents,
  ...attachmentEvents,
  ...customEmojiEvents,
  ...draftEvents,
  ...savedSnippetEvents,
  ...navigationViewEvents,
  ...settingsEvents,
  ...typingEvents,
  ...profileFieldEvents,
  ...invitationEvents,
  ...realmDomainEvents,
  ...alertWordEvents,
  ...mutedUserEvents,
  ...presenceEvents,
  ...deviceEvents,
  ...videoCallEvents,
];
