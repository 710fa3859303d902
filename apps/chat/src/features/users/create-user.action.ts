import { Inject, Injectable } from '@nestjs/common';
import { hashPassword } from '@switchboard/auth';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { loadActorRights } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { checkEmailDomain } from '../realm-domains/index.js';
import { subscribeAccountToDefaultChannels, emitNewAccountEvents } from './emit-new-account.js';
import type { createUserParameters } from './accounts.schemas.js';
import { checkPasswordAgainstServerLimits } from './password-rules.js';
import { WelcomeMessageSender } from './welcome-messages.js';
import {
  addUser,
  checkEmail,
  checkFullName,
  checkUserNameIsUnique,
  createEmailInUseError,
} from '../../core/users/index.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Creates accounts (docs/contract/chat.md 2.F). The actor needs a permission from the operator. */
@Injectable()
export class CreateUser {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEventWriter,
    private readonly welcome: WelcomeMessageSender,
  ) {}

  /**
   * Creates an account and returns its id.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof createUserParameters>,
  ): Promise<{ user_id: number }> {
    const fullName = checkFullName(parameters.full_name);
    const email = checkEmail(parameters.email);
    // The permission is checked before the costly hashing of the password.
    const { grants } = await loadActorRights(this.database, actor);
    if (!grants.canCreateUsers) throw createBadRequestError('User not authorized to create users');
    const passwordHash = await hashPassword(checkPasswordAgainstServerLimits(parameters.password));
    const { realmId } = actor;
    const clientId = await this.welcome.createClientOfWelcomeMessages();
    try {
      return await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, realmId, 'exclusive');
        await checkEmailDomain(tx, realmId, email);
        await checkUserNameIsUnique(tx, realmId, fullName, 0);
        const account = {
          realmId,
          email,
          fullName,
          role: userRoleNumbers.member,
          passwordHash,
          awaitsFirstLogin: true,
        };
        const id = await addUser(tx, this.apiKeys, account);
        await subscribeAccountToDefaultChannels(tx, realmId, id);
        await emitNewAccountEvents(this.events, tx, realmId, id);
        chatAudit.add(tx, 'user_created', { id, role: account.role, method: 'api', groups: [] });
        await this.welcome.sendWelcomeMessage(tx, realmId, id, clientId, null);
        return { user_id: id };
      });
    } catch (error) {
      if (convertErrorToDatabaseFault(error)?.kind === 'unique') throw createEmailInUseError(email);
      throw error;
    }
  }
}
