import type { Provider } from '@nestjs/common';
import { AccessRevocation } from './access/access-revocation.js';
import { ChatEvents } from './events/chat-events.js';
import {
  AccountChanges,
  CreateUser,
  DeactivateUser,
  ReactivateUser,
  UpdateUser,
  Welcome,
} from './modules/accounts/index.js';
import { BrowserSignIn, Sessions, SignIn } from './modules/authentication/index.js';
import { GetChannelAddress } from './modules/channel-email/index.js';
import { ManageFolders } from './modules/channel-folders/index.js';
import {
  ArchiveChannel,
  ChannelNotices,
  ReadChannels,
  SetDefaultChannel,
  UpdateChannel,
} from './modules/channels/index.js';
import { BotStorage, CreateBot, DeactivateBot, ListBots, ManageApiKeys, UpdateBot } from './modules/bots/index.js';
import { PollEvents, RegisterQueue } from './modules/event-queues/index.js';
import { MessageReaders } from './modules/message-access/index.js';
import { DeleteMessage, DeleteTopic } from './modules/message-deletion/index.js';
import { Invite, ManageInvitations } from './modules/invitations/index.js';
import { Join, JoinPages } from './modules/registration/index.js';
import { ManageDomains } from './modules/realm-domains/index.js';
import { ManageEmoji } from './modules/custom-emoji/index.js';
import { ManageAvatar, ReadAvatars } from './modules/avatars/index.js';
import { ManageLinkifiers } from './modules/linkifiers/index.js';
import { EditMessage, GetHistory, RunMoves } from './modules/message-editing/index.js';
import { MarkRead, UpdateFlags } from './modules/message-flags/index.js';
import {
  ClientNames,
  GetMessage,
  ListMessages,
  MatchesNarrow,
  RenderMessage,
  SendMessage,
} from './modules/messages/index.js';
import { ReportMessage } from './modules/message-reports/index.js';
import { TellEditing } from './modules/message-typing/index.js';
import { GetReadReceipts } from './modules/read-receipts/index.js';
import { ChangeReaction } from './modules/reactions/index.js';
import { GetServerSettings, UpdateRealm } from './modules/realms/index.js';
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
} from './modules/subscriptions/index.js';
import { ReadTopics } from './modules/topics/index.js';
import { SetUserTopic } from './modules/user-topics/index.js';
import { AddSubmessage } from './modules/submessages/index.js';
import { ChangeMembers, CreateGroup, DeactivateGroup, ReadGroups, UpdateGroup } from './modules/user-groups/index.js';
import { ReadUsers } from './modules/users/index.js';
import { ManageDrafts } from './modules/drafts/index.js';
import { ManageSnippets } from './modules/saved-snippets/index.js';
import { ManageViews } from './modules/navigation-views/index.js';
import { ChangePassword, SettingChanges, UpdateDefaults, UpdateSettings } from './modules/settings/index.js';
import { SetStatus } from './modules/user-status/index.js';
import { TellTyping } from './modules/typing/index.js';
import { ChangeProfile, ManageProfileFields, UpdateOwnProfile } from './modules/profile-fields/index.js';
import { ChangeAlertWords } from './modules/alert-words/index.js';
import { MuteUser } from './modules/muted-users/index.js';
import { Presences } from './modules/presence/index.js';
import { ManageDevices } from './modules/devices/index.js';
import { ConfirmEmail, RequestEmail } from './modules/email-change/index.js';
import { videoCallProviders } from './modules/video-calls/index.js';

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
