import { Injectable } from '@nestjs/common';
import { createBadRequestError } from '../../errors.js';
import { VideoCallProviderClients } from '../../infra/video/index.js';
import type { VideoCallProvider, VideoCallRequest } from './call-provider.js';
import { createVideoCallProviderError } from './video-provider-failure.js';

/** Maximum length of the name of a conversation in Nextcloud Talk, in characters. */
const maxTalkRoomNameLength = 255;

/** Creates public conversations in the operator's Nextcloud Talk. */
@Injectable()
export class NextcloudTalkCallProvider implements VideoCallProvider {
  constructor(private readonly providers: VideoCallProviderClients) {}

  async createCall({ name }: VideoCallRequest): Promise<string> {
    const { nextcloudTalk } = this.providers;
    if (nextcloudTalk === null) throw createBadRequestError('Nextcloud Talk is not configured.');
    try {
      return await nextcloudTalk.createPublicRoom(truncateNextcloudRoomName(name));
    } catch (error) {
      throw createVideoCallProviderError(error, 'Failed to create Nextcloud Talk call');
    }
  }
}

function truncateNextcloudRoomName(name: string): string {
  const characters = [...name];
  return characters.length <= maxTalkRoomNameLength
    ? name
    : `${characters.slice(0, maxTalkRoomNameLength - 3).join('')}...`;
}
