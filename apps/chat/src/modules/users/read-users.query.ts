import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { chatErrors } from '../../errors.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { listUsers, maxMessageId } from './users.repository.js';
import type { listUsersParameters } from './users.schemas.js';
import { toWireUser, type WireUser } from './wire-user.js';

/** Answers GET /users and GET /users/me. */
@Injectable()
export class ReadUsers {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** The people and bots of the realm; bots of the system are not among them (chat.md 4.5). */
  async list(actor: ChatActor, parameters: ParametersOf<typeof listUsersParameters>): Promise<{ members: WireUser[] }> {
    const view = {
      viewer: actor,
      clientGravatar: parameters.client_gravatar,
      customFields: parameters.include_custom_profile_fields,
    };
    const users = await listUsers(this.database, actor.realmId, parameters.user_ids ?? null);
    return { members: users.filter((user) => !user.isSystemBot).map((user) => toWireUser(user, view)) };
  }

  /** The actor's own account, with the newest message in its history (chat-contract 2.F). */
  async getOwn(actor: ChatActor): Promise<WireUser & { max_message_id: number }> {
    const [user] = await listUsers(this.database, actor.realmId, [actor.id]);
    // Deleted between the check of its credentials and now.
    if (user === undefined) throw chatErrors.create('INVALID_API_KEY');
    const view = { viewer: actor, clientGravatar: false, customFields: true };
    return { ...toWireUser(user, view), max_message_id: await maxMessageId(this.database, actor.id) };
  }
}
