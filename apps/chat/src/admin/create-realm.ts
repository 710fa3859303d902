import { translateDatabaseError } from '@switchboard/errors';
import { addChannel } from '../modules/channels/index.js';
import { addRealm } from '../modules/realms/index.js';
import type { ChatRuntime } from '../runtime.js';
import { AdminError } from './admin-error.js';

/** An organization about to be made. */
export interface RealmRequest {
  readonly stringId: string;
  readonly name: string;
  readonly host: string;
  readonly description: string;
}

/**
 * Makes an organization without people; `create-owner` comes next.
 *
 * @throws AdminError when its name or host is taken.
 */
export async function createRealm({ database, renderer }: ChatRuntime, request: RealmRequest): Promise<void> {
  try {
    await database.inTransaction(async (tx) => {
      const { realmId, systemGroups } = await addRealm(tx, { ...request, fakeEmailDomain: request.host });
      const channelId = await addChannel(
        tx,
        { realmId, name: 'general', description: 'For everything', creatorId: null, isDefault: true },
        { renderer, systemGroups },
      );
      await tx.query('UPDATE realms SET new_stream_announcements_channel_id = $2 WHERE id = $1', [realmId, channelId]);
    });
  } catch (error) {
    if (translateDatabaseError(error)?.kind !== 'unique') throw error;
    throw new AdminError(`There is an organization ${request.stringId}, or one at ${request.host}, already.`);
  }
}
