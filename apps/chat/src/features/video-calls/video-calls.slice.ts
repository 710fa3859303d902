import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { VideoCallPagesController } from './call-pages.controller.js';
import { videoCallDependencyInjectionProviders } from './video-call-providers.js';
import { VideoCallsController } from './video-calls.controller.js';
import { videoCallEvents } from './video-calls.events.js';
import { videoCallSnapshotParts } from './video-calls.snapshot.js';

/**
 * Feature module (slice) of video calls. The module declares endpoints, pages, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const videoCallsFeatureModule = defineFeatureModule('video-calls', {
  controllers: [VideoCallPagesController, VideoCallsController],
  providers: videoCallDependencyInjectionProviders,
  events: videoCallEvents,
  snapshotParts: videoCallSnapshotParts,
});
