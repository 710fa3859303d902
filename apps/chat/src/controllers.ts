import type { Type } from '@nestjs/common';
import type { ChatConfig } from './config.js';
import { AccountsController } from './modules/accounts/index.js';
import {
  AuthenticationController,
  DevAuthenticationController,
  LoginController,
  SessionKeyController,
} from './modules/authentication/index.js';
import { DocumentationController } from './modules/documentation/index.js';
import { ChannelFoldersController } from './modules/channel-folders/index.js';
import { ChannelEmailController } from './modules/channel-email/index.js';
import { ChannelsController } from './modules/channels/index.js';
import { ApiKeysController, BotsController, BotStorageController } from './modules/bots/index.js';
import { EventQueuesController } from './modules/event-queues/index.js';
import { LinkifiersController } from './modules/linkifiers/index.js';
import { InvitationsController } from './modules/invitations/index.js';
import { RegistrationController } from './modules/registration/index.js';
import { RealmDomainsController } from './modules/realm-domains/index.js';
import { MessageDeletionController } from './modules/message-deletion/index.js';
import { MessageEditingController } from './modules/message-editing/index.js';
import { MessageFlagsController } from './modules/message-flags/index.js';
import { MessageReportsController } from './modules/message-reports/index.js';
import { MessageTypingController } from './modules/message-typing/index.js';
import { MessagesController } from './modules/messages/index.js';
import { ReactionsController } from './modules/reactions/index.js';
import { EmojiDataController, RealmsController, RealmSettingsController } from './modules/realms/index.js';
import { ReadReceiptsController } from './modules/read-receipts/index.js';
import { SubmessagesController } from './modules/submessages/index.js';
import { SubscriptionsController } from './modules/subscriptions/index.js';
import { ReadGroupsController, UserGroupsController } from './modules/user-groups/index.js';
import { TopicsController } from './modules/topics/index.js';
import { UserTopicsController } from './modules/user-topics/index.js';
import { UsersController } from './modules/users/index.js';
import { CustomEmojiController } from './modules/custom-emoji/index.js';
import { AvatarsController, PublicPicturesController } from './modules/avatars/index.js';
import { AttachmentsController } from './modules/attachments/index.js';
import { FilesController, UploadsController } from './modules/uploads/index.js';
import { DraftsController } from './modules/drafts/index.js';
import { SavedSnippetsController } from './modules/saved-snippets/index.js';
import { NavigationViewsController } from './modules/navigation-views/index.js';
import { SettingsController } from './modules/settings/index.js';
import { UserStatusController } from './modules/user-status/index.js';
import { TypingController } from './modules/typing/index.js';
import { ProfileDataController, ProfileFieldsController } from './modules/profile-fields/index.js';
import { AlertWordsController } from './modules/alert-words/index.js';
import { MutedUsersController } from './modules/muted-users/index.js';
import { PresenceController } from './modules/presence/index.js';
import { DevicesController } from './modules/devices/index.js';
import { DevelopmentMailsController } from './modules/development-mails/index.js';
import { EmailChangeController } from './modules/email-change/index.js';
import { CallPagesController, VideoCallsController } from './modules/video-calls/index.js';

/** Every controller that the contract describes. */
export const allControllers: Type[] = [
  AccountsController,
  ApiKeysController,
  AuthenticationController,
  BotsController,
  BotStorageController,
  ChannelEmailController,
  ChannelFoldersController,
  ChannelsController,
  DevAuthenticationController,
  LoginController,
  SessionKeyController,
  EventQueuesController,
  LinkifiersController,
  InvitationsController,
  RegistrationController,
  RealmDomainsController,
  MessageDeletionController,
  MessageEditingController,
  MessageFlagsController,
  MessageReportsController,
  MessageTypingController,
  MessagesController,
  ReactionsController,
  EmojiDataController,
  RealmsController,
  RealmSettingsController,
  ReadReceiptsController,
  SubmessagesController,
  SubscriptionsController,
  ReadGroupsController,
  UserGroupsController,
  TopicsController,
  UserTopicsController,
  UsersController,
  AttachmentsController,
  CustomEmojiController,
  AvatarsController,
  PublicPicturesController,
  FilesController,
  UploadsController,
  DraftsController,
  SavedSnippetsController,
  NavigationViewsController,
  SettingsController,
  UserStatusController,
  TypingController,
  ProfileDataController,
  ProfileFieldsController,
  AlertWordsController,
  MutedUsersController,
  PresenceController,
  DevicesController,
  DevelopmentMailsController,
  EmailChangeController,
  CallPagesController,
  VideoCallsController,
];

/** Signing in without a password and reading mails on their way are for development alone. */
const development: ReadonlySet<Type> = new Set<Type>([DevAuthenticationController, DevelopmentMailsController]);

/** The controllers that answer here. */
export function controllersOf(config: Pick<ChatConfig, 'NODE_ENV'>): Type[] {
  const described =
    config.NODE_ENV === 'production'
      ? allControllers.filter((controller) => !development.has(controller))
      : allControllers;
  return [...described, DocumentationController];
}
