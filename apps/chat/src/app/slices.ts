import { alertWordsFeatureModule } from '../features/alert-words/index.js';
import { attachmentsFeatureModule } from '../core/attachments/index.js';
import { authenticationFeatureModule } from '../features/authentication/index.js';
import { avatarsFeatureModule } from '../features/avatars/index.js';
import { botServiceRequestsFeatureModule } from '../features/bot-calls/index.js';
import { botsFeatureModule } from '../features/bots/index.js';
import { channelEmailFeatureModule } from '../features/channel-email/index.js';
import { channelFoldersFeatureModule } from '../features/channel-folders/index.js';
import { channelsFeatureModule } from '../core/channels/index.js';
import { customEmojiFeatureModule } from '../features/custom-emoji/index.js';
import { developmentMailsFeatureModule } from '../features/development-mails/index.js';
import { devicesFeatureModule } from '../features/devices/index.js';
import { documentationFeatureModule } from '../features/documentation/index.js';
import { draftsFeatureModule } from '../features/drafts/index.js';
import { emailChangeFeatureModule } from '../features/email-change/index.js';
import { eventWebhooksFeatureModule } from '../features/event-webhooks/index.js';
import { expiredRecordsFeatureModule } from '../features/expired-records/index.js';
import { integrationsFeatureModule } from '../features/integrations/index.js';
import { invitationsFeatureModule } from '../features/invitations/index.js';
import { linkifiersFeatureModule } from '../features/linkifiers/index.js';
import { messageAccessFeatureModule } from '../core/message-access/index.js';
import { messageDeletionFeatureModule } from '../features/message-deletion/index.js';
import { messageEditingFeatureModule } from '../features/message-editing/index.js';
import { messageFlagsFeatureModule } from '../features/message-flags/index.js';
import { messageReportsFeatureModule } from '../features/message-reports/index.js';
import { messageRetentionFeatureModule } from '../features/message-retention/index.js';
import { messagesFeatureModule } from '../core/messages/index.js';
import { missedMessagesFeatureModule } from '../features/missed-messages/index.js';
import { mutedUsersFeatureModule } from '../features/muted-users/index.js';
import { navigationViewsFeatureModule } from '../features/navigation-views/index.js';
import { onboardingStepsFeatureModule } from '../features/onboarding-steps/index.js';
import { playgroundsFeatureModule } from '../features/playgrounds/index.js';
import { passwordResetFeatureModule } from '../features/password-reset/index.js';
import { presenceFeatureModule } from '../features/presence/index.js';
import { profileFieldsFeatureModule } from '../features/profile-fields/index.js';
import { pushTokensFeatureModule } from '../features/push-tokens/index.js';
import { reactionsFeatureModule } from '../features/reactions/index.js';
import { readReceiptsFeatureModule } from '../features/read-receipts/index.js';
import { realmDeactivationFeatureModule } from '../features/realm-deactivation/index.js';
import { realmDomainsFeatureModule } from '../features/realm-domains/index.js';
import { realmExportFeatureModule } from '../features/realm-export/index.js';
import { realmImagesFeatureModule } from '../features/realm-images/index.js';
import { realmsFeatureModule } from '../core/realms/index.js';
import { registrationFeatureModule } from '../features/registration/index.js';
import { resumableUploadsFeatureModule } from '../features/resumable-uploads/index.js';
import { savedSnippetsFeatureModule } from '../features/saved-snippets/index.js';
import { scheduledMessagesFeatureModule } from '../features/scheduled-messages/index.js';
import { scopedKeysFeatureModule } from '../features/scoped-keys/index.js';
import { serverVersionFeatureModule } from '../features/server-version/index.js';
import { settingsFeatureModule } from '../features/settings/index.js';
import { softDeactivationFeatureModule } from '../core/soft-deactivation/index.js';
import { staticImagesFeatureModule } from '../features/static-images/index.js';
import { submessagesFeatureModule } from '../features/submessages/index.js';
import { subscriptionsFeatureModule } from '../features/subscriptions/index.js';
import { topicsFeatureModule } from '../features/topics/index.js';
import { typingFeatureModule } from '../features/typing/index.js';
import { uploadsFeatureModule } from '../features/uploads/index.js';
import { userEndpointsFeatureModule } from '../features/users/index.js';
import { userGroupsFeatureModule } from '../core/user-groups/index.js';
import { userStatusFeatureModule } from '../features/user-status/index.js';
import { userTopicsFeatureModule } from '../core/user-topics/index.js';
import { usersFeatureModule } from '../core/users/index.js';
import { videoCallsFeatureModule } from '../features/video-calls/index.js';

/**
 * All feature modules (slices) of the service except event queues. POST /register reads the snapshot parts of the
 * modules in this order.
 */
export const chatFeatureModules = [
  realmsFeatureModule,
  usersFeatureModule,
  userGroupsFeatureModule,
  channelsFeatureModule,
  channelFoldersFeatureModule,
  linkifiersFeatureModule,
  playgroundsFeatureModule,
  messagesFeatureModule,
  customEmojiFeatureModule,
  draftsFeatureModule,
  savedSnippetsFeatureModule,
  scheduledMessagesFeatureModule,
  navigationViewsFeatureModule,
  onboardingStepsFeatureModule,
  userStatusFeatureModule,
  profileFieldsFeatureModule,
  realmDomainsFeatureModule,
  realmImagesFeatureModule,
  alertWordsFeatureModule,
  mutedUsersFeatureModule,
  presenceFeatureModule,
  devicesFeatureModule,
  videoCallsFeatureModule,
  attachmentsFeatureModule,
  messageAccessFeatureModule,
  softDeactivationFeatureModule,
  userTopicsFeatureModule,
  authenticationFeatureModule,
  avatarsFeatureModule,
  botServiceRequestsFeatureModule,
  botsFeatureModule,
  channelEmailFeatureModule,
  developmentMailsFeatureModule,
  documentationFeatureModule,
  emailChangeFeatureModule,
  eventWebhooksFeatureModule,
  expiredRecordsFeatureModule,
  integrationsFeatureModule,
  invitationsFeatureModule,
  messageDeletionFeatureModule,
  messageEditingFeatureModule,
  messageFlagsFeatureModule,
  messageReportsFeatureModule,
  messageRetentionFeatureModule,
  missedMessagesFeatureModule,
  passwordResetFeatureModule,
  pushTokensFeatureModule,
  reactionsFeatureModule,
  readReceiptsFeatureModule,
  realmDeactivationFeatureModule,
  realmExportFeatureModule,
  registrationFeatureModule,
  resumableUploadsFeatureModule,
  scopedKeysFeatureModule,
  serverVersionFeatureModule,
  settingsFeatureModule,
  staticImagesFeatureModule,
  submessagesFeatureModule,
  subscriptionsFeatureModule,
  topicsFeatureModule,
  typingFeatureModule,
  uploadsFeatureModule,
  userEndpointsFeatureModule,
] as const;

/** All event types of the service except heartbeats. */
export const allEventTypes = chatFeatureModules.flatMap(({ events }) => events);

/** Definitions of all parts of the POST /register response, which is a snapshot of the organization's state. */
export const allSnapshotParts = chatFeatureModules.flatMap((slice) => slice.snapshotParts);
