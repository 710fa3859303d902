import type { Provider } from '@nestjs/common';
import { AccessRevocation } from '../core/access/access-revocation.js';
import { ChatEvents } from '../events/chat-events.js';
import {
  AccountChanges,
  CreateUser,
  DeactivateUser,
  ReactivateUser,
  ReadUsers,
  UpdateUser,
  Welcome,
} from '../features/users/index.js';
import { BrowserSignIn, Sessions, SignIn } from '../features/authentication/index.js';
import { GetChannelAddress } from '../features/channel-email/index.js';
import { ManageFolders } from '../features/channel-folders/index.js';
import {
  ArchiveChannel,
  ChannelNotices,
  ReadChannels,
  SetDefaultChannel,
  UpdateChannel,
} from '../core/channels/index.js';
import { BotStorage, CreateBot, DeactivateBot, ListBots, ManageApiKeys, UpdateBot } from '../features/bots/index.js';
import { PollEvents, RegisterQueue } from './event-queues/index.js';
import { MessageReaders } from '../core/message-access/index.js';
import { DeleteMessage, DeleteTopic } from '../features/message-deletion/index.js';
import { Invite, ManageInvitations } from '../features/invitations/index.js';
import { Join, JoinPages } from '../features/registration/index.js';
import { ManageDomains } from '../features/realm-domains/index.js';
import { ManageEmoji } from '../features/custom-emoji/index.js';
import { ManageAvatar, ReadAvatars } from '../features/avatars/index.js';
import { ManageLinkifiers } from '../features/linkifiers/index.js';
import { EditMessage, GetHistory, RunMoves } from '../features/message-editing/index.js';
import { MarkRead, UpdateFlags } from '../features/message-flags/index.js';
import {
  ClientNames,
  GetMessage,
  ListMessages,
  MatchesNarrow,
  RenderMessage,
  SendMessage,
} from '../core/messages/index.js';
import { ReportMessage } from '../features/message-reports/index.js';
import { TellEditing, TellTyping } from '../features/typing/index.js';
import { GetReadReceipts } from '../features/read-receipts/index.js';
import { ChangeReaction } from '../features/reactions/index.js';
import { GetServerSettings, UpdateRealm } from '../core/realms/index.js';
import {
  AnnounceChannels,
  CreateChannel,
  PostChannelNotices,
  ReadSubscriptions,
  SetPreferences,
  Subscribe,
  TellNewSubscribers,
  Unsubscribe,
  UpdateSubscriptions,
} from '../features/subscriptions/index.js';
import { ReadTopics } from '../features/topics/index.js';
import { SetUserTopic } from '../core/user-topics/index.js';
import { AddSubmessage } from '../features/submessages/index.js';
import { ChangeMembers, CreateGroup, DeactivateGroup, ReadGroups, UpdateGroup } from '../core/user-groups/index.js';
import { ManageDrafts } from '../features/drafts/index.js';
import { ManageSnippets } from '../features/saved-snippets/index.js';
import { ManageViews } from '../features/navigation-views/index.js';
import { ChangePassword, SettingChanges, UpdateDefaults, UpdateSettings } from '../features/settings/index.js';
import { SetStatus } from '../features/user-status/index.js';
import { ChangeProfile, ManageProfileFields, UpdateOwnProfile } from '../features/profile-fields/index.js';
import { ChangeAlertWords } from '../features/alert-words/index.js';
import { MuteUser } from '../features/muted-users/index.js';
import { Presences } from '../features/presence/index.js';
import { ManageDevices } from '../features/devices/index.js';
import { ConfirmEmail, RequestEmail } from '../features/email-change/index.js';
import { videoCallProviders } from '../features/video-calls/index.js';

/** Providers of the controllers: actions and queries of all modules, and their shared dependencies. */
export const actions: Provider[] = [
  AccessRevocation,
  AccountChanges,
  AddSubmessage,
  AnnounceChannels,
  ArchiveChannel,
  BrowserSignIn,
  ChangeMembers,
  ChangePassword,
  ChangeReaction,
  ChatEvents,
  ClientNames,
  BotStorage,
  CreateBot,
  CreateChannel,
  CreateGroup,
  CreateUser,
  DeactivateBot,
  DeactivateGroup,
  DeactivateUser,
  DeleteMessage,
  DeleteTopic,
  EditMessage,
  RunMoves,
  GetChannelAddress,
  GetHistory,
  GetMessage,
  GetReadReceipts,
  GetServerSettings,
  Invite,
  Join,
  JoinPages,
  ListBots,
  ListMessages,
  ManageApiKeys,
  ManageDrafts,
  ManageDomains,
  ManageFolders,
  ManageInvitations,
  ManageEmoji,
  ManageAvatar,
  ReadAvatars,
  ManageLinkifiers,
  ManageSnippets,
  ManageViews,
  MarkRead,
  MatchesNarrow,
  MessageReaders,
  PollEvents,
  ReactivateUser,
  ReadChannels,
  ReadGroups,
  ReadSubscriptions,
  ReadTopics,
  ReadUsers,
  RegisterQueue,
  RenderMessage,
  ReportMessage,
  SendMessage,
  Sessions,
  SetDefaultChannel,
  SetPreferences,
  SetStatus,
  SetUserTopic,
  SettingChanges,
  SignIn,
  Subscribe,
  TellEditing,
  TellTyping,
  Unsubscribe,
  UpdateBot,
  UpdateChannel,
  UpdateDefaults,
  UpdateFlags,
  UpdateGroup,
  UpdateRealm,
  UpdateSettings,
  UpdateSubscriptions,
  UpdateUser,
  Welcome,
  ChangeProfile,
  ManageProfileFields,
  UpdateOwnProfile,
  ChangeAlertWords,
  MuteUser,
  Presences,
  ManageDevices,
  ConfirmEmail,
  RequestEmail,
  ...videoCallProviders,
  TellNewSubscribers,
  { provide: ChannelNotices, useClass: PostChannelNotices },
];
