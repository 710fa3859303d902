import { Inject, Injectable } from '@nestjs/common';
import { createBadRequestError } from '../../errors.js';
import type { ChatDatabase } from '../../infra/open-prisma.js';
import { VideoProviders } from '../../infra/video/index.js';
import { DATABASE } from '../../tokens.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { toProviderFailureError } from './video-provider-failure.js';

/**
 * Returns links to users' rooms at Constructor Groups. Audio calls and video calls of a user take place in one room.
 */
@Injectable()
export class ConstructorGroupsCalls implements CallProvider {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly providers: VideoProviders,
  ) {}

  async createCall({ actor }: CallRequest): Promise<string> {
    const { constructorGroups } = this.providers;
    if (constructorGroups === null) throw createBadRequestError('Constructor Groups is not configured.');
    const select = { fullName: true, deliveryEmail: true } as const;
    const user = await this.database.prisma.user.findFirst({ where: { id: actor.id }, select });
    const name = `${user?.fullName ?? ''}'s room`;
    try {
      return await constructorGroups.getRoom({
        creatorEmail: user?.deliveryEmail ?? '',
        name,
        fallbackName: `${name} (${actor.realmId}-${actor.id})`,
      });
    } catch (error) {
      throw toProviderFailureError(error, 'Failed to create Constructor Groups call');
    }
  }
}
