import { alertWordsSlice } from '../features/alert-words/index.js';
import { attachmentsSlice } from '../core/attachments/index.js';
import { authenticationSlice } from '../features/authentication/index.js';
import { avatarsSlice } from '../features/avatars/index.js';
import { botCallsSlice } from '../features/bot-calls/index.js';
import { botsSlice } from '../features/bots/index.js';
import { channelEmailSlice } from '../features/channel-email/index.js';
import { channelFoldersSlice } from '../features/channel-folders/index.js';
import { channelsSlice } from '../core/channels/index.js';
import { customEmojiSlice } from '../features/custom-emoji/index.js';
import { developmentMailsSlice } from '../features/development-mails/index.js';
import { devicesSlice } from '../features/devices/index.js';
import { documentationSlice } from '../features/documentation/index.js';
import { draftsSlice } from '../features/drafts/index.js';
import { emailChangeSlice } from '../features/email-change/index.js';
import { eventWebhooksSlice } from '../features/event-webhooks/index.js';
import { expiredRecordsSlice } from '../features/expired-records/index.js';
import { integrationsSlice } from '../features/integrations/index.js';
import { invitationsSlice } from '../features/invitations/index.js';
import { linkifiersSlice } from '../features/linkifiers/index.js';
import { messageAccessSlice } from '../core/message-access/index.js';
import { messageDeletionSlice } from '../features/message-deletion/index.js';
import { messageEditingSlice } from '../features/message-editing/index.js';
import { messageFlagsSlice } from '../features/message-flags/index.js';
import { messageReportsSlice } from '../features/message-reports/index.js';
import { messageRetentionSlice } from '../features/message-retention/index.js';
import { messagesSlice } from '../core/messages/index.js';
import { missedMessagesSlice } from '../features/missed-messages/index.js';
import { mutedUsersSlice } from '../features/muted-users/index.js';
import { navigationViewsSlice } from '../features/navigation-views/index.js';
import { onboardingStepsSlice } from '../features/onboarding-steps/index.js';
import { playgroundsSlice } from '../features/playgrounds/index.js';
import { passwordResetSlice } from '../features/password-reset/index.js';
import { presenceSlice } from '../features/presence/index.js';
import { profileFieldsSlice } from '../features/profile-fields/index.js';
import { pushTokensSlice } from '../features/push-tokens/index.js';
import { reactionsSlice } from '../features/reactions/index.js';
import { readReceiptsSlice } from '../features/read-receipts/index.js';
import { realmDeactivationSlice } from '../features/realm-deactivation/index.js';
import { realmDomainsSlice } from '../features/realm-domains/index.js';
import { realmExportSlice } from '../features/realm-export/index.js';
import { realmImagesSlice } from '../features/realm-images/index.js';
import { realmsSlice } from '../core/realms/index.js';
import { registrationSlice } from '../features/registration/index.js';
import { resumableUploadsSlice } from '../features/resumable-uploads/index.js';
import { savedSnippetsSlice } from '../features/saved-snippets/index.js';
import { scheduledMessagesSlice } from '../features/scheduled-messages/index.js';
import { scopedKeysSlice } from '../features/scoped-keys/index.js';
import { serverVersionSlice } from '../features/server-version/index.js';
import { settingsSlice } from '../features/settings/index.js';
import { softDeactivationSlice } from '../core/soft-deactivation/index.js';
import { staticImagesSlice } from '../features/static-images/index.js';
import { submessagesSlice } from '../features/submessages/index.js';
import { subscriptionsSlice } from '../features/subscriptions/index.js';
import { topicsSlice } from '../features/topics/index.js';
import { typingSlice } from '../features/typing/index.js';
import { uploadsSlice } from '../features/uploads/index.js';
import { userEndpointsSlice } from '../features/users/index.js';
import { userGroupsSlice } from '../core/user-groups/index.js';
import { userStatusSlice } from '../features/user-status/index.js';
import { userTopicsSlice } from '../core/user-topics/index.js';
import { usersSlice } from '../core/users/index.js';
import { videoCallsSlice } from '../features/video-calls/index.js';

/**
 * All feature modules (slices) of the service except event queues. POST /register reads the snapshot parts of the
 * modules in this order.
 */
export const chatSlices = [
  realmsSlice,
  usersSlice,
  userGroupsSlice,
  channelsSlice,
  channelFoldersSlice,
  linkifiersSlice,
  playgroundsSlice,
  messagesSlice,
  customEmojiSlice,
  draftsSlice,
  savedSnippetsSlice,
  scheduledMessagesSlice,
  navigationViewsSlice,
  onboardingStepsSlice,
  userStatusSlice,
  profileFieldsSlice,
  realmDomainsSlice,
  realmImagesSlice,
  alertWordsSlice,
  mutedUsersSlice,
  presenceSlice,
  devicesSlice,
  videoCallsSlice,
  attachmentsSlice,
  messageAccessSlice,
  softDeactivationSlice,
  userTopicsSlice,
  authenticationSlice,
  avatarsSlice,
  botCallsSlice,
  botsSlice,
  channelEmailSlice,
  developmentMailsSlice,
  documentationSlice,
  emailChangeSlice,
  eventWebhooksSlice,
  expiredRecordsSlice,
  integrationsSlice,
  invitationsSlice,
  messageDeletionSlice,
  messageEditingSlice,
  messageFlagsSlice,
  messageReportsSlice,
  messageRetentionSlice,
  missedMessagesSlice,
  passwordResetSlice,
  pushTokensSlice,
  reactionsSlice,
  readReceiptsSlice,
  realmDeactivationSlice,
  realmExportSlice,
  registrationSlice,
  resumableUploadsSlice,
  scopedKeysSlice,
  serverVersionSlice,
  settingsSlice,
  staticImagesSlice,
  submessagesSlice,
  subscriptionsSlice,
  topicsSlice,
  typingSlice,
  uploadsSlice,
  userEndpointsSlice,
] as const;

/** All event types of the service except heartbeats. */
export const allEventTypes = chatSlices.flatMap(({ events }) => events);

/** Definitions of all parts of the POST /register response, which is a snapshot of the organization's state. */
export const allSnapshotParts = chatSlices.flatMap((slice) => slice.snapshotParts);
