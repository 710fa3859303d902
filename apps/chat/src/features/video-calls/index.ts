export { videoCallsFeatureModule } from './video-calls.slice.js';
export { createCallTokenPurpose } from './video-call-tokens.js';
export { deleteVideoCallTokens } from './delete-call-tokens.js';
