import { defineSlice } from '../../events/define-feature-slice.js';
import { CallPagesController } from './call-pages.controller.js';
import { videoCallProviders } from './video-call-providers.js';
import { VideoCallsController } from './video-calls.controller.js';
import { videoCallEvents } from './video-calls.events.js';
import { videoCallSnapshotParts } from './video-calls.snapshot.js';

/**
 * Feature module (slice) of video calls. The module declares endpoints, pages, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const videoCallsSlice = defineSlice('video-calls', {
  controllers: [CallPagesController, VideoCallsController],
  providers: videoCallProviders,
  events: videoCallEvents,
  snapshotParts: videoCallSnapshotParts,
});
