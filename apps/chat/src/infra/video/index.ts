export { BigBlueButtonClient, type BigBlueButtonMeeting } from './big-blue-button-client.js';
export {
  availableProviders,
  type OAuthProviderKey,
  providerNames,
  serverJitsiUrl,
  videoProvider,
} from './video-provider-choice.js';
export { CredentialRefusedError, ProviderError } from './video-provider-errors.js';
export { VideoProviders } from './video-providers.js';
export type { VideoConfig } from './video-env.js';
export type { OAuthGrant, OAuthProvider } from './oauth-client.js';
