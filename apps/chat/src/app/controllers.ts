import type { Type } from '@nestjs/common';
import type { ChatConfig } from '../config.js';
import { AccountsController, UsersController } from '../features/users/index.js';
import {
  AuthenticationController,
  DevAuthenticationController,
  LoginController,
  SessionKeyController,
} from '../features/authentication/index.js';
import { DocumentationController } from '../features/documentation/index.js';
import { ChannelFoldersController } from '../features/channel-folders/index.js';
import { ChannelEmailController } from '../features/channel-email/index.js';
import { ChannelsController } from '../core/channels/index.js';
import { ApiKeysController, BotsController, BotStorageController } from '../features/bots/index.js';
import { EventQueuesController } from './event-queues/index.js';
import { LinkifiersController } from '../features/linkifiers/index.js';
import { InvitationsController } from '../features/invitations/index.js';
import { RegistrationController } from '../features/registration/index.js';
import { RealmDomainsController } from '../features/realm-domains/index.js';
import { MessageDeletionController } from '../features/message-deletion/index.js';
import { MessageEditingController } from '../features/message-editing/index.js';
import { MessageFlagsController } from '../features/message-flags/index.js';
import { MessageReportsController } from '../features/message-reports/index.js';
import { MessageTypingController, TypingController } from '../features/typing/index.js';
import { MessagesController } from '../core/messages/index.js';
import { ReactionsController } from '../features/reactions/index.js';
import { EmojiDataController, RealmsController, RealmSettingsController } from '../core/realms/index.js';
import { ReadReceiptsController } from '../features/read-receipts/index.js';
import { SubmessagesController } from '../features/submessages/index.js';
import { SubscriptionsController } from '../features/subscriptions/index.js';
import { ReadGroupsController, UserGroupsController } from '../core/user-groups/index.js';
import { TopicsController } from '../features/topics/index.js';
import { UserTopicsController } from '../core/user-topics/index.js';
import { CustomEmojiController } from '../features/custom-emoji/index.js';
import { AvatarsController, PublicPicturesController } from '../features/avatars/index.js';
import { AttachmentsController } from '../core/attachments/index.js';
import { FilesController, UploadsController } from '../features/uploads/index.js';
import { DraftsController } from '../features/drafts/index.js';
import { SavedSnippetsController } from '../features/saved-snippets/index.js';
import { NavigationViewsController } from '../features/navigation-views/index.js';
import { SettingsController } from '../features/settings/index.js';
import { UserStatusController } from '../features/user-status/index.js';
import { ProfileDataController, ProfileFieldsController } from '../features/profile-fields/index.js';
import { AlertWordsController } from '../features/alert-words/index.js';
import { MutedUsersController } from '../features/muted-users/index.js';
import { PresenceController } from '../features/presence/index.js';
import { DevicesController } from '../features/devices/index.js';
import { DevelopmentMailsController } from '../features/development-mails/index.js';
import { EmailChangeController } from '../features/email-change/index.js';
import { CallPagesController, VideoCallsController } from '../features/video-calls/index.js';

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
