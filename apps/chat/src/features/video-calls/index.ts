export { videoCallsSlice } from './video-calls.slice.js';
export { deleteCallTokens } from './delete-call-tokens.js';
