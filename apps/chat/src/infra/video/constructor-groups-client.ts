import { createHash } from 'node:crypto';
import type { OutboundClient } from '@switchboard/outbound';
import { z } from 'zod';
import { createRoomAtVideoProvider } from './request-video-room.js';

export interface ConstructorGroupsOptions {
  /** Base URL of the API of Constructor Groups without a trailing slash. */
  readonly url: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly outbound: OutboundClient;
}

/** The room of a user at Constructor Groups. */
export interface ConstructorGroupsRoom {
  readonly creatorEmail: string;
  readonly name: string;
  /** Alternative name of the room, used if another user already has a room with the preferred name. */
  readonly fallbackName: string;
}

const constructorGroupsRoomResponseSchema = z.object({ url: z.url({ protocol: /^https?$/ }) });

/** Client of Constructor Groups, where each user has one room. */
export class ConstructorGroupsClient {
  constructor(private readonly options: ConstructorGroupsOptions) {}

  /**
   * Returns the URL of a user's room at Constructor Groups. Creates the room if the room does not exist.
   *
   * @throws VideoCallProviderError
   */
  async getOrCreateRoomUrl({ creatorEmail, name, fallbackName }: ConstructorGroupsRoom): Promise<string> {
    const { url, accessKey, secretKey, outbound } = this.options;
    const digest = createHash('sha256').update(`${accessKey}|${secretKey}`).digest('hex');
    const room = await createRoomAtVideoProvider(outbound, {
      provider: 'Constructor Groups',
      url: `${url}/room/default`,
      headers: { authorization: `Bearer ${accessKey}|${digest}` },
      body: { creator_email: creatorEmail, name, fallback_name: fallbackName },
      response: constructorGroupsRoomResponseSchema,
    });
    return room.url;
  }
}
