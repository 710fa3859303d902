import type { OutboundClient } from '@switchboard/outbound';
import { z } from 'zod';
import { createRoomAtVideoProvider } from './request-video-room.js';

export interface NextcloudTalkOptions {
  /** URL of the Nextcloud server without a trailing slash. */
  readonly url: string;
  /** Name of the Nextcloud account that creates the conversations. */
  readonly username: string;
  /** App password of the Nextcloud account that creates the conversations. */
  readonly password: string;
  readonly outbound: OutboundClient;
}

/** Number of the conversation type in Nextcloud Talk that guests can join with the URL of the conversation. */
const publicTalkRoomType = 3;

const nextcloudTalkRoomResponseSchema = z.object({
  ocs: z.object({ data: z.object({ token: z.string().min(1).max(100) }) }),
});

/**
 * Client of the conversations API of Nextcloud Talk
 * (https://nextcloud-talk.readthedocs.io/en/stable/conversation/#creating-a-new-conversation).
 */
export class NextcloudTalkClient {
  constructor(private readonly options: NextcloudTalkOptions) {}

  /**
   * Creates a public conversation in Nextcloud Talk and returns the URL of the conversation.
   *
   * @throws VideoCallProviderError
   */
  async createPublicRoom(roomName: string): Promise<string> {
    const { url, username, password, outbound } = this.options;
    const { ocs } = await createRoomAtVideoProvider(outbound, {
      provider: 'Nextcloud Talk',
      url: `${url}/ocs/v2.php/apps/spreed/api/v4/room`,
      headers: {
        'ocs-apirequest': 'true',
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      },
      body: { roomType: publicTalkRoomType, roomName },
      response: nextcloudTalkRoomResponseSchema,
    });
    return `${url}/index.php/call/${encodeURIComponent(ocs.data.token)}`;
  }
}
