import { Inject, Injectable } from '@nestjs/common';
import { hashPassword } from '@switchboard/auth';
import { translateDatabaseError } from '@switchboard/errors';
import { type ChatActor, roleNumbers } from '../../infra/http/chat-actor.js';
import { toActorRights } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { checkEmailDomain } from '../realm-domains/index.js';
import { joinDefaultChannels, emitNewAccount } from './emit-new-account.js';
import type { createUserParameters } from './accounts.schemas.js';
import { checkPassword } from './password-rules.js';
import { WelcomeMessages } from './welcome-messages.js';
import { addUser, checkEmail, checkFullName, checkUniqueName, createEmailInUseError } from '../../core/users/index.js';
import type { ChatDatabase } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Creates accounts (docs/contract/chat.md 2.F). The actor needs a permission from the operator. */
@Injectable()
export class CreateUser {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEvents,
    private readonly welcome: WelcomeMessages,
  ) {}

  /**
   * Creates an account and returns its id.
   *
   * @throws AppError BAD_REQUEST
   */
  async run(actor: ChatActor, parameters: ParametersOf<typeof createUserParameters>): Promise<{ user_id: number }> {
    const fullName = checkFullName(parameters.full_name);
    const email = checkEmail(parameters.email);
    // The permission is checked before the costly hashing of the password.
    const { grants } = await toActorRights(this.database, actor);
    if (!grants.canCreateUsers) throw createBadRequestError('User not authorized to create users');
    const passwordHash = await hashPassword(checkPassword(parameters.password));
    const { realmId } = actor;
    const clientId = await this.welcome.prepare();
    try {
      return await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, realmId, 'exclusive');
        await checkEmailDomain(tx, realmId, email);
        await checkUniqueName(tx, realmId, fullName, 0);
        const account = { realmId, email, fullName, role: roleNumbers.member, passwordHash, awaitsFirstLogin: true };
        const id = await addUser(tx, this.apiKeys, account);
        await joinDefaultChannels(tx, realmId, id);
        await emitNewAccount(this.events, tx, realmId, id);
        chatAudit.add(tx, 'user_created', { id, role: account.role, method: 'api' });
        await this.welcome.sendWelcomeMessage(tx, realmId, id, clientId, null);
        return { user_id: id };
      });
    } catch (error) {
      if (translateDatabaseError(error)?.kind === 'unique') throw createEmailInUseError(email);
      throw error;
    }
  }
}
