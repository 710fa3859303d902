export { videoCallsSlice } from './video-calls.slice.js';
export { deleteZoomToken } from './delete-zoom-token.js';
