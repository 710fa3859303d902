import { Injectable } from '@nestjs/common';
import type { ApplicationError } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import {
  VideoCallCredentialsRejectedError,
  type OAuthProviderKey,
  VideoCallProviderClients,
} from '../../infra/video/index.js';
import type { VideoCallProvider, VideoCallRequest } from './call-provider.js';
import { VideoCallTokenStore, type StoredVideoCallToken } from './video-call-tokens.js';
import { createVideoCallProviderError } from './video-provider-failure.js';

/** Creates video calls for users who connected an account at a video-call provider (chat-4.21-1). */
@Injectable()
export class ConnectedAccountCallCreator {
  constructor(
    private readonly providers: VideoCallProviderClients,
    private readonly tokens: VideoCallTokenStore,
  ) {}

  /** Returns an object that creates video calls at Zoom or Webex with the accounts that users have connected. */
  createCallProvider(provider: OAuthProviderKey): VideoCallProvider {
    return { createCall: (wish) => this.#createCall(provider, wish) };
  }

  async #createCall(key: OAuthProviderKey, wish: VideoCallRequest): Promise<string> {
    const provider = this.providers[key];
    if (provider === null)
      throw key === 'zoom' ? createInvalidTokenError(key) : createBadRequestError('Webex is not configured.');
    const held = await this.tokens.findToken(wish.actor, key);
    if (held === null) throw createInvalidTokenError(key);
    let token: StoredVideoCallToken = held;
    try {
      if (!this.tokens.isAccessTokenFresh(token)) {
        token = await this.tokens.replaceRefreshedToken(
          wish.actor,
          key,
          token,
          await provider.oauth.exchangeRefreshToken(token.refreshToken),
        );
      }
      return await provider.createMeeting(token.accessToken, wish.isVideo);
    } catch (error) {
      if (!(error instanceof VideoCallCredentialsRejectedError)) {
        throw createVideoCallProviderError(error, `Failed to create ${provider.name} call`);
      }
      await this.#removeToken(wish.actor, key, token, error);
      // Another request has refreshed the token meanwhile, which made the token of this request invalid.
      return this.#createCall(key, wish);
    }
  }

  /**
   * Deletes a user's token that the provider has rejected.
   *
   * @throws ApplicationError INVALID_ZOOM_TOKEN, INVALID_VIDEO_CALL_PROVIDER_TOKEN; no error if the token was replaced
   */
  async #removeToken(
    actor: ChatActor,
    key: OAuthProviderKey,
    token: StoredVideoCallToken,
    cause: Error,
  ): Promise<void> {
    if (await this.tokens.deleteToken(actor, key, token)) throw createInvalidTokenError(key, cause);
  }
}

/**
 * Returns the API error for a missing or rejected OAuth token. Zoom has a separate error code, which older clients
 * expect.
 */
function createInvalidTokenError(key: OAuthProviderKey, cause?: Error): ApplicationError {
  const code = key === 'zoom' ? 'INVALID_ZOOM_TOKEN' : 'INVALID_VIDEO_CALL_PROVIDER_TOKEN';
  return chatErrors.create(code, { cause });
}
