import { Injectable } from '@nestjs/common';
import type { AppError } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { CredentialRefusedError, type OAuthProviderKey, VideoProviders } from '../../infra/video/index.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { VideoCallTokens, type StoredCallToken } from './video-call-tokens.js';
import { toProviderFailureError } from './video-provider-failure.js';

/** Creates video calls for users who connected an account at a video-call provider (chat-4.21-1). */
@Injectable()
export class ConnectedAccountCalls {
  constructor(
    private readonly providers: VideoProviders,
    private readonly tokens: VideoCallTokens,
  ) {}

  /** Returns an object that creates video calls at Zoom or Webex with the accounts that users have connected. */
  createForProvider(provider: OAuthProviderKey): CallProvider {
    return { createCall: (wish) => this.#createCall(provider, wish) };
  }

  async #createCall(key: OAuthProviderKey, wish: CallRequest): Promise<string> {
    const provider = this.providers[key];
    if (provider === null)
      throw key === 'zoom' ? invalidTokenError(key) : createBadRequestError('Webex is not configured.');
    const held = await this.tokens.find(wish.actor, key);
    if (held === null) throw invalidTokenError(key);
    let token: StoredCallToken = held;
    try {
      if (!this.tokens.isFresh(token)) {
        token = await this.tokens.update(wish.actor, key, token, await provider.oauth.refresh(token.refreshToken));
      }
      return await provider.createMeeting(token.accessToken, wish.isVideo);
    } catch (error) {
      if (!(error instanceof CredentialRefusedError)) {
        throw toProviderFailureError(error, `Failed to create ${provider.name} call`);
      }
      await this.#removeToken(wish.actor, key, token, error);
      // Another request has refreshed the token meanwhile, which made this one invalid.
      return this.#createCall(key, wish);
    }
  }

  /**
   * Deletes a user's token that the provider has rejected.
   *
   * @throws AppError INVALID_ZOOM_TOKEN, INVALID_VIDEO_CALL_PROVIDER_TOKEN unless it was replaced meanwhile
   */
  async #removeToken(actor: ChatActor, key: OAuthProviderKey, token: StoredCallToken, cause: Error): Promise<void> {
    if (await this.tokens.remove(actor, key, token)) throw invalidTokenError(key, cause);
  }
}

/**
 * Returns the API error for a missing or rejected OAuth token. Zoom has a separate error code, which older clients
 * expect.
 */
function invalidTokenError(key: OAuthProviderKey, cause?: Error): AppError {
  const code = key === 'zoom' ? 'INVALID_ZOOM_TOKEN' : 'INVALID_VIDEO_CALL_PROVIDER_TOKEN';
  return chatErrors.create(code, { cause });
}
