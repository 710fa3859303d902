export { BigBlueButtonClient, type Meeting } from './big-blue-button-client.js';
export { availableProviders, serverJitsiUrl, videoProvider } from './provider-choice.js';
export { CredentialRefusedError, ProviderError } from './provider-errors.js';
export { VideoProviders } from './video-providers.js';
export type { VideoConfig } from './video-env.js';
export type { ZoomClient, ZoomGrant } from './zoom-client.js';
