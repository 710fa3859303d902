import { Injectable } from '@nestjs/common';
import { createBadRequestError } from '../../errors.js';
import { VideoProviders } from '../../infra/video/index.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { toProviderFailureError } from './video-provider-failure.js';

/** Maximum length of the name of a conversation in Nextcloud Talk, in characters. */
const maxTalkRoomNameLength = 255;

/** Creates public conversations in the operator's Nextcloud Talk. */
@Injectable()
export class NextcloudTalkCalls implements CallProvider {
  constructor(private readonly providers: VideoProviders) {}

  async createCall({ name }: CallRequest): Promise<string> {
    const { nextcloudTalk } = this.providers;
    if (nextcloudTalk === null) throw createBadRequestError('Nextcloud Talk is not configured.');
    try {
      return await nextcloudTalk.createRoom(shortenRoomName(name));
    } catch (error) {
      throw toProviderFailureError(error, 'Failed to create Nextcloud Talk call');
    }
  }
}

function shortenRoomName(name: string): string {
  const characters = [...name];
  return characters.length <= maxTalkRoomNameLength
    ? name
    : `${characters.slice(0, maxTalkRoomNameLength - 3).join('')}...`;
}
