import type { Provider } from '@nestjs/common';
import { VideoCallProviderClients } from '../../infra/video/index.js';
import { BigBlueButtonCallProvider } from './big-blue-button-calls.js';
import { VideoCallTokenStore } from './video-call-tokens.js';
import { ConnectVideoCallAccount } from './connect-account.action.js';
import { ConnectedAccountCallCreator } from './connected-account-calls.js';
import { ConstructorGroupsCallProvider } from './constructor-groups-calls.js';
import { CreateVideoCall } from './create-call.action.js';
import { JitsiCallProvider } from './jitsi-calls.js';
import { NextcloudTalkCallProvider } from './nextcloud-talk-calls.js';

/** Dependency-injection providers (NestJS) of the video call module. */
export const videoCallDependencyInjectionProviders: Provider[] = [
  BigBlueButtonCallProvider,
  VideoCallTokenStore,
  ConnectVideoCallAccount,
  ConnectedAccountCallCreator,
  ConstructorGroupsCallProvider,
  CreateVideoCall,
  JitsiCallProvider,
  NextcloudTalkCallProvider,
  VideoCallProviderClients,
];
