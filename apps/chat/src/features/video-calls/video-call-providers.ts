import type { Provider } from '@nestjs/common';
import { VideoProviders } from '../../infra/video/index.js';
import { BigBlueButtonCalls } from './big-blue-button-calls.js';
import { VideoCallTokens } from './video-call-tokens.js';
import { ConnectAccount } from './connect-account.action.js';
import { ConnectedAccountCalls } from './connected-account-calls.js';
import { ConstructorGroupsCalls } from './constructor-groups-calls.js';
import { CreateCall } from './create-call.action.js';
import { JitsiCalls } from './jitsi-calls.js';
import { NextcloudTalkCalls } from './nextcloud-talk-calls.js';

/** Dependency-injection providers (NestJS) of the video call module. */
export const videoCallProviders: Provider[] = [
  BigBlueButtonCalls,
  VideoCallTokens,
  ConnectAccount,
  ConnectedAccountCalls,
  ConstructorGroupsCalls,
  CreateCall,
  JitsiCalls,
  NextcloudTalkCalls,
  VideoProviders,
];
