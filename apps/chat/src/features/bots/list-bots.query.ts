import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { listActiveBotsOfOwner, listBotRows, listUsers, toWireBot, type UserRecord } from '../../core/users/index.js';

/** Handles GET /bots: lists the active bots that the actor owns (docs/contract/chat.md 2.F). */
@Injectable()
export class ListOwnBots {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly apiKeys: ApiKeyStore,
  ) {}

  /**
   * Lists the active bots that the actor owns.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor) {
    rejectBots(actor);
    const ids = (await listActiveBotsOfOwner(this.database, actor.realmId, actor.id)).map(({ id }) => id);
    const users = new Map((await listUsers(this.database, actor.realmId, ids)).map((user) => [user.id, user]));
    const rows = await listBotRows(this.database, ids);
    return {
      bots: rows.flatMap((row) => {
        const user: UserRecord | undefined = users.get(row.id);
        if (user === undefined) return [];
        const bot = toWireBot(row, user, { actor, apiKeys: this.apiKeys });
        return [
          {
            username: bot.email,
            full_name: bot.full_name,
            bot_type: bot.bot_type,
            api_key: bot.api_key,
            avatar_url: bot.avatar_url,
            services: bot.services,
            default_sending_stream: bot.default_sending_stream,
            default_events_register_stream: bot.default_events_register_stream,
            default_all_public_streams: bot.default_all_public_streams,
          },
        ];
      }),
    };
  }
}
