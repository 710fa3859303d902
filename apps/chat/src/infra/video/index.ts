export { BigBlueButtonClient, type Meeting } from './big-blue-button-client.js';
export {
  availableProviders,
  type OAuthProviderKey,
  providerNames,
  serverJitsiUrl,
  videoProvider,
} from './provider-choice.js';
export { CredentialRefusedError, ProviderError } from './provider-errors.js';
export { VideoProviders } from './video-providers.js';
export type { VideoConfig } from './video-env.js';
export type { OAuthGrant, OAuthProvider } from './oauth-client.js';
