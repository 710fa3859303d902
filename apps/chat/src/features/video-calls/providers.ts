import type { Provider } from '@nestjs/common';
import { VideoProviders } from '../../infra/video/index.js';
import { BigBlueButtonCalls } from './big-blue-button-calls.js';
import { ConnectZoom } from './connect-zoom.action.js';
import { ConstructorGroupsCalls } from './constructor-groups-calls.js';
import { CreateCall } from './create-call.action.js';
import { JitsiCalls } from './jitsi-calls.js';
import { NextcloudTalkCalls } from './nextcloud-talk-calls.js';
import { ZoomCalls } from './zoom-calls.js';
import { ZoomTokens } from './zoom-tokens.js';

/** Nest providers of the slice of video calls. */
export const videoCallProviders: Provider[] = [
  BigBlueButtonCalls,
  ConnectZoom,
  ConstructorGroupsCalls,
  CreateCall,
  JitsiCalls,
  NextcloudTalkCalls,
  VideoProviders,
  ZoomCalls,
  ZoomTokens,
];
