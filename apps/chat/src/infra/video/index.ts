export { BigBlueButtonClient, type BigBlueButtonMeeting } from './big-blue-button-client.js';
export {
  listAvailableVideoProviders,
  type OAuthProviderKey,
  oauthVideoProviderDisplayNames,
  getDefaultJitsiServerUrl,
  videoCallProviderNumbers,
} from './video-provider-choice.js';
export { VideoCallCredentialsRejectedError, VideoCallProviderError } from './video-provider-errors.js';
export { VideoCallProviderClients } from './video-providers.js';
export type { VideoConfig } from './video-env.js';
export type { GrantedOAuthTokens, OAuthVideoCallProvider } from './oauth-client.js';
