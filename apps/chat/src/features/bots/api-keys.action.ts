import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { requireUnrevokedRequestCredentials } from '../../core/access/require-credentials.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { createBotAudienceLookup, listBotRows, realmBotSecretEvent } from '../../core/users/index.js';
import { lockBotForChange } from './lock-bot-for-change.js';
import { lockUserRow, lockRealmMembership } from '../../core/database-locks.js';

/**
 * Manages API keys of the actor and of managed bots (docs/contract/chat.md 1.2 and 2.F). A new API key immediately
 * replaces the old key, which is revoked.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Creates a new API key for the actor and removes the event queues of the old one.
   *
   * @throws ApplicationError BAD_REQUEST, or INVALID_API_KEY if the key of the request has been revoked
   */
  async regenerateOwnApiKey(actor: CredentialOwner): Promise<{ api_key: string }> {
    rejectBots(actor);
    const sealed = await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      await requireUnrevokedRequestCredentials(tx, actor);
      return this.#replaceKey(tx, actor.realmId, actor.id);
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, [actor.id]);
    return { api_key: this.apiKeys.decryptStoredApiKey(actor.id, sealed) };
  }

  /**
   * Creates a new API key for a bot, and emits it to the managers of the bot.
   *
   * @throws ApplicationError BAD_REQUEST, or INVALID_API_KEY if the key of the request has been revoked
   */
  async regenerateBotApiKey(actor: CredentialOwner, botId: number): Promise<{ api_key: string }> {
    rejectBots(actor);
    const sealed = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const { bot } = await lockBotForChange(tx, actor, botId);
      await requireUnrevokedRequestCredentials(tx, actor);
      const sealedKey = await this.#replaceKey(tx, actor.realmId, botId);
      const audience = (await createBotAudienceLookup(tx, actor.realmId))(bot.botOwnerId);
      const payload = { userId: botId, secret: { sealedKey } };
      this.events.write(tx, actor.realmId, realmBotSecretEvent, { audience, payload });
      return sealedKey;
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, [botId]);
    return { api_key: this.apiKeys.decryptStoredApiKey(botId, sealed) };
  }

  /**
   * Returns the API key of a bot. Creates one if the bot has none.
   *
   * @throws ApplicationError BAD_REQUEST, or INVALID_API_KEY if the key of the request has been revoked
   */
  async getBotApiKey(actor: CredentialOwner, botId: number): Promise<{ api_key: string }> {
    rejectBots(actor);
    return this.database.inTransaction(async (tx) => {
      await lockBotForChange(tx, actor, botId);
      await requireUnrevokedRequestCredentials(tx, actor);
      const [row] = await listBotRows(tx, [botId]);
      const key = await this.apiKeys.getOrCreateApiKey(tx, botId, row?.api_key_sealed ?? null);
      chatAudit.add(tx, 'bot_key_read', { id: botId });
      return { api_key: key };
    });
  }

  /**
   * Stores a new API key of an account, and removes all event queues that use the old key. Pending polls of these
   * queues also end. Both changes belong to the current transaction.
   */
  async #replaceKey(tx: Tx, realmId: number, userId: number): Promise<string> {
    const key = this.apiKeys.create(userId);
    await tx.query('UPDATE users SET api_key_sealed = $2, api_key_digest = $3, api_key_pepper_id = $4 WHERE id = $1', [
      userId,
      key.sealed,
      key.digest,
      key.pepperId,
    ]);
    // Apps that were signed in with the old key get no notifications any more.
    await tx.query('DELETE FROM push_tokens WHERE user_id = $1', [userId]);
    this.events.endEventQueuesOfAccounts(tx, realmId, [userId]);
    chatAudit.add(tx, 'api_key_regenerated', { id: userId });
    return key.sealed;
  }
}
