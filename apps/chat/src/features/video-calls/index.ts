export { videoCallsSlice } from './video-calls.slice.js';
export { createCallTokenPurpose } from './video-call-tokens.js';
export { deleteCallTokens } from './delete-call-tokens.js';
