export { CallPagesController } from './call-pages.controller.js';
export { forgetZoom } from './forget-zoom.js';
export { videoCallEvents } from './video-calls.events.js';
export { videoCallProviders } from './providers.js';
export { videoCallSnapshotParts } from './video-calls.snapshot.js';
export { VideoCallsController } from './video-calls.controller.js';
