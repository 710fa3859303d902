import { Inject, Injectable } from '@nestjs/common';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { ChangeProfileFieldValues } from '../profile-fields/index.js';
import { AccountUpdater } from './account-change-operations.js';
import type { updateUserParameters } from './accounts.schemas.js';
import { lockUserForChange, createEmailInUseError, parseUserPathReference } from '../../core/users/index.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

type UpdateUserParameters = DecodedParametersOfDefinition<typeof updateUserParameters>;

/**
 * Changes an account of another user (chat-4.3). All changes and the events about the changes are committed in one
 * transaction.
 */
@Injectable()
export class UpdateUser {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly changes: AccountUpdater,
    private readonly profiles: ChangeProfileFieldValues,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Changes the account that is given by id or email address.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, user: string, parameters: UpdateUserParameters): Promise<void> {
    const changed = await this.#inTransaction(parameters, async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const rights = await loadActorRights(tx, actor);
      requireAdmin(rights);
      const target = await lockUserForChange(tx, actor, parseUserPathReference(user));
      await this.changes.changeFullName(tx, actor, target, parameters.full_name);
      await this.changes.changeRole(tx, rights, actor, target, parameters.role);
      await this.changes.changeEmail(tx, rights, actor, target, parameters.new_email);
      await this.profiles.changeValuesOfAccount(tx, actor, target.id, parameters.profile_data ?? [], {
        mayEditAll: true,
      });
      return target.id;
    });
    await this.revocation.invalidateCredentials([changed]);
  }

  /**
   * Runs a change of an account in a transaction. If another account gets the same email address concurrently, the
   * violated unique index becomes an API error.
   */
  async #inTransaction<T>(
    { new_email: email }: UpdateUserParameters,
    run: (tx: ChatTransaction) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.database.inTransaction(run);
    } catch (error) {
      if (email !== undefined && convertErrorToDatabaseFault(error)?.kind === 'unique')
        throw createEmailInUseError(email);
      throw error;
    }
  }
}
