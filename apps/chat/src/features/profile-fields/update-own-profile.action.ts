import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { toActorRights } from '../../core/access/actor-rights.js';
import { DATABASE } from '../../tokens.js';
import { ChangeProfile } from './change-profile-values.js';
import type { SentProfileValue } from './profile-fields.schemas.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Changes the actor's values of custom profile fields (chat-4.14). */
@Injectable()
export class UpdateOwnProfile {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly profiles: ChangeProfile,
  ) {}

  /**
   * Sets the actor's values of some profile fields.
   *
   * @throws AppError BAD_REQUEST
   */
  async run(actor: ChatActor, sent: readonly SentProfileValue[]): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const { isAdmin } = await toActorRights(tx, actor);
      await this.profiles.change(tx, actor, actor.id, sent, { mayEditAll: isAdmin });
    });
  }

  /**
   * Removes the actor's values of the given profile fields.
   *
   * @throws AppError BAD_REQUEST
   */
  remove(actor: ChatActor, fieldIds: readonly number[]): Promise<void> {
    return this.run(
      actor,
      fieldIds.map((id) => ({ id, value: null })),
    );
  }
}
