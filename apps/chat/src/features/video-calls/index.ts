export { videoCallsSlice } from './video-calls.slice.js';
export { forgetZoom } from './forget-zoom.js';
