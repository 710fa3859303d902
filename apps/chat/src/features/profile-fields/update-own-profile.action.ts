import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights } from '../../core/access/actor-rights.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { ChangeProfileFieldValues } from './change-profile-values.js';
import type { SentProfileValue } from './profile-fields.schemas.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Changes the actor's values of custom profile fields (chat-4.14). */
@Injectable()
export class UpdateOwnProfileValues {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly profiles: ChangeProfileFieldValues,
  ) {}

  /**
   * Sets the actor's values of some profile fields.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, sent: readonly SentProfileValue[]): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const { isAdmin } = await loadActorRights(tx, actor);
      await this.profiles.changeValuesOfAccount(tx, actor, actor.id, sent, { mayEditAll: isAdmin });
    });
  }

  /**
   * Removes the actor's values of the given profile fields.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  removeValues(actor: ChatActor, fieldIds: readonly number[]): Promise<void> {
    return this.run(
      actor,
      fieldIds.map((id) => ({ id, value: null })),
    );
  }
}
