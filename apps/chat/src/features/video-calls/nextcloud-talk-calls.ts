import { Injectable } from '@nestjs/common';
import { badRequest } from '../../errors.js';
import { VideoProviders } from '../../infra/video/index.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { providerFailure } from './video-provider-failure.js';

/** Maximum length of the name of a conversation in Nextcloud Talk, in characters. */
const maxNameLength = 255;

/** Creates public conversations in the operator's Nextcloud Talk. */
@Injectable()
export class NextcloudTalkCalls implements CallProvider {
  constructor(private readonly providers: VideoProviders) {}

  async createCall({ name }: CallRequest): Promise<string> {
    const { nextcloudTalk } = this.providers;
    if (nextcloudTalk === null) throw badRequest('Nextcloud Talk is not configured.');
    try {
      return await nextcloudTalk.createRoom(shortenName(name));
    } catch (error) {
      throw providerFailure(error, 'Failed to create Nextcloud Talk call');
    }
  }
}

function shortenName(name: string): string {
  const characters = [...name];
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength - 3).join('')}...`;
}
