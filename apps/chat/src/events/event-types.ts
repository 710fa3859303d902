import { linkifierEvents } from '../modules/linkifiers/index.js';
import { channelFolderEvents } from '../modules/channel-folders/index.js';
import { streamEvents, subscriptionEvents } from '../modules/channels/index.js';
import { messageDeletionEvents } from '../modules/message-deletion/index.js';
import { messageEditingEvents } from '../modules/message-editing/index.js';
import { messageFlagEvents } from '../modules/message-flags/index.js';
import { messageTypingEvents } from '../modules/message-typing/index.js';
import { messageEvents } from '../modules/messages/index.js';
import { reactionEvents } from '../modules/reactions/index.js';
import { serverVersionEvents } from '../modules/server-version/index.js';
import { realmEvents } from '../modules/realms/index.js';
import { submessageEvents } from '../modules/submessages/index.js';
import { userGroupEvents } from '../modules/user-groups/index.js';
import { userTopicEvents } from '../modules/user-topics/index.js';
import { userEvents } from '../modules/users/index.js';
import { customEmojiEvents } from '../modules/custom-emoji/index.js';
import { attachmentEvents } from '../modules/attachments/index.js';
import { draftEvents } from '../modules/drafts/index.js';
import { savedSnippetEvents } from '../modules/saved-snippets/index.js';
import { navigationViewEvents } from '../modules/navigation-views/index.js';
import { settingsEvents } from '../modules/settings/index.js';
import { typingEvents } from '../modules/typing/index.js';
import { profileFieldEvents } from '../modules/profile-fields/index.js';
import { invitationEvents } from '../modules/invitations/index.js';
import { realmDomainEvents } from '../modules/realm-domains/index.js';
import { alertWordEvents } from '../modules/alert-words/index.js';
import { mutedUserEvents } from '../modules/muted-users/index.js';
import { presenceEvents } from '../modules/presence/index.js';
import { deviceEvents } from '../modules/devices/index.js';
import { videoCallEvents } from '../modules/video-calls/index.js';
import type { AnyEventType } from './event-type.js';

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
