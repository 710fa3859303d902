import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { getRequestedDefaultSettings } from './parse-setting-values.js';
import { defaultUserSettingsEvent } from './settings.events.js';
import { changeDefaultUserSettings } from './settings.repository.js';

/** Changes the default settings of new users (docs/contract/chat.md 2.H). */
@Injectable()
export class UpdateDefaultUserSettings {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Changes the default settings for new users that the request contains.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, parameters: Readonly<Record<string, unknown>>): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      requireAdmin(await loadActorRights(tx, actor));
      const changed = await changeDefaultUserSettings(tx, actor.realmId, getRequestedDefaultSettings(parameters));
      if (Object.keys(changed).length > 0) {
        chatAudit.add(tx, 'default_settings_changed', { id: actor.realmId, after: changed });
      }
      for (const [property, value] of Object.entries(changed)) {
        const payload = { property, value };
        this.events.write(tx, actor.realmId, defaultUserSettingsEvent, { audience: { all: true }, payload });
      }
    });
  }
}
