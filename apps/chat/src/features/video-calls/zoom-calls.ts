import { Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/actor.js';
import { chatErrors } from '../../errors.js';
import { CredentialRefusedError, VideoProviders } from '../../infra/video/index.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { providerFailure } from './provider-failure.js';
import { type StoredToken, ZoomTokens } from './zoom-tokens.js';

/** Creates Zoom calls for users who connected their Zoom account (chat-4.21-1). */
@Injectable()
export class ZoomCalls implements CallProvider {
  constructor(
    private readonly providers: VideoProviders,
    private readonly tokens: ZoomTokens,
  ) {}

  async createCall(wish: CallRequest): Promise<string> {
    const { zoom } = this.providers;
    const held = await this.tokens.find(wish.actor);
    if (zoom === null || held === null) throw chatErrors.create('INVALID_ZOOM_TOKEN');
    let token: StoredToken = held;
    try {
      if (!this.tokens.isFresh(token)) {
        token = await this.tokens.update(wish.actor, token, await zoom.refresh(token.refreshToken));
      }
      return await zoom.createMeeting(token.accessToken, wish.isVideo);
    } catch (error) {
      if (!(error instanceof CredentialRefusedError)) throw providerFailure(error, 'Failed to create Zoom call');
      await this.#removeToken(wish.actor, token, error);
      // Another request has refreshed the token meanwhile, which made this one invalid.
      return this.createCall(wish);
    }
  }

  /**
   * Deletes a Zoom token that Zoom has rejected.
   *
   * @throws AppError INVALID_ZOOM_TOKEN unless it was replaced meanwhile
   */
  async #removeToken(actor: ChatActor, token: StoredToken, cause: Error): Promise<void> {
    if (await this.tokens.remove(actor, token)) throw chatErrors.create('INVALID_ZOOM_TOKEN', { cause });
  }
}
