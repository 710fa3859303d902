import { Inject, Injectable } from '@nestjs/common';
import { createBadRequestError } from '../../errors.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { VideoCallProviderClients } from '../../infra/video/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import type { VideoCallProvider, VideoCallRequest } from './call-provider.js';
import { createVideoCallProviderError } from './video-provider-failure.js';

/**
 * Returns links to users' rooms at Constructor Groups. Audio calls and video calls of a user take place in one room.
 */
@Injectable()
export class ConstructorGroupsCallProvider implements VideoCallProvider {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly providers: VideoCallProviderClients,
  ) {}

  async createCall({ actor }: VideoCallRequest): Promise<string> {
    const { constructorGroups } = this.providers;
    if (constructorGroups === null) throw createBadRequestError('Constructor Groups is not configured.');
    const select = { fullName: true, deliveryEmail: true } as const;
    const user = await this.database.prisma.user.findFirst({ where: { id: actor.id }, select });
    const name = `${user?.fullName ?? ''}'s room`;
    try {
      return await constructorGroups.getOrCreateRoomUrl({
        creatorEmail: user?.deliveryEmail ?? '',
        name,
        fallbackName: `${name} (${actor.realmId}-${actor.id})`,
      });
    } catch (error) {
      throw createVideoCallProviderError(error, 'Failed to create Constructor Groups call');
    }
  }
}
