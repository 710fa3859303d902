import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { loadActorRights, rejectBots } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { requireUnrevokedRequestCredentials } from '../../core/access/require-credentials.js';
import { lockUserRow } from '../../core/database-locks.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { lockBotForChange } from '../bots/index.js';
import {
  addScopedApiKey,
  listScopedApiKeys,
  removeScopedApiKey,
  type ScopedApiKeyFields,
} from './scoped-keys.repository.js';
import { type apiKeyCreationParameters, maxApiKeyNameLength } from './scoped-keys.schemas.js';
import { sortScopes, type WireScopedApiKey } from './wire-scoped-key.js';

type AddScopedApiKeyParameters = DecodedParametersOfDefinition<typeof apiKeyCreationParameters>;

/** Response that contains a new API key and the secret of the key. */
export interface AddedScopedApiKey {
  readonly api_key: string;
  readonly key: WireScopedApiKey;
}

/** Lists, creates and deletes scoped API keys of the actor and of bots that the actor manages (docs/adr/0040). */
@Injectable()
export class ScopedApiKeysService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'API_KEYS_PER_USER'>,
    @Inject(CLOCK_TOKEN) private readonly clock: Pick<Clock, 'now'>,
    private readonly apiKeys: ApiKeyStore,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Lists the scoped API keys of the actor.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async list(actor: CredentialOwner): Promise<{ api_keys: WireScopedApiKey[] }> {
    rejectBots(actor);
    return { api_keys: await listScopedApiKeys(this.database, actor.id) };
  }

  /**
   * Creates a scoped API key for the actor.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  add(actor: CredentialOwner, sent: AddScopedApiKeyParameters): Promise<AddedScopedApiKey> {
    rejectBots(actor);
    const fields = this.#fieldsOf(sent);
    return this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      await loadActorRights(tx, actor);
      return this.#add(tx, actor, actor.id, fields);
    });
  }

  /**
   * Deletes a scoped API key of the actor.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND
   */
  async remove(actor: CredentialOwner, keyId: number): Promise<void> {
    rejectBots(actor);
    await this.database.inTransaction((tx) => removeApiKeyOfAccount(tx, actor.id, keyId));
    await this.revocation.invalidateDeletedApiKey(keyId);
  }

  /**
   * Lists the scoped API keys of a bot, at the request of the bot's owner or an administrator.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  listOfBot(actor: CredentialOwner, botId: number): Promise<{ api_keys: WireScopedApiKey[] }> {
    rejectBots(actor);
    return this.database.inTransaction(async (tx) => {
      await lockBotForChange(tx, actor, botId);
      return { api_keys: await listScopedApiKeys(tx, botId) };
    });
  }

  /**
   * Creates a scoped API key for a bot, at the request of the bot's owner or an administrator.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  addOfBot(actor: CredentialOwner, botId: number, sent: AddScopedApiKeyParameters): Promise<AddedScopedApiKey> {
    rejectBots(actor);
    const fields = this.#fieldsOf(sent);
    return this.database.inTransaction(async (tx) => {
      await lockBotForChange(tx, actor, botId);
      return this.#add(tx, actor, botId, fields);
    });
  }

  /**
   * Deletes a scoped API key of a bot, at the request of the bot's owner or an administrator.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND
   */
  async removeOfBot(actor: CredentialOwner, botId: number, keyId: number): Promise<void> {
    rejectBots(actor);
    await this.database.inTransaction(async (tx) => {
      await lockBotForChange(tx, actor, botId);
      await removeApiKeyOfAccount(tx, botId, keyId);
    });
    await this.revocation.invalidateDeletedApiKey(keyId);
  }

  #fieldsOf({ name, scopes, ...sent }: AddScopedApiKeyParameters): ScopedApiKeyFields {
    const expiresAt = sent.expires_at ?? null;
    if (expiresAt !== null && expiresAt * 1000 <= this.clock.now()) {
      throw createBadRequestError('expires_at must be in the future');
    }
    return { name: parseRequiredText('name', name, maxApiKeyNameLength), scopes: sortScopes(scopes), expiresAt };
  }

  /** Creates and stores a scoped API key for an account whose row is locked. Returns the key and its secret. */
  async #add(tx: Tx, actor: CredentialOwner, userId: number, fields: ScopedApiKeyFields): Promise<AddedScopedApiKey> {
    await requireUnrevokedRequestCredentials(tx, actor);
    const created = this.apiKeys.createScopedApiKey();
    const limit = this.config.API_KEYS_PER_USER;
    const key = await addScopedApiKey(tx, userId, fields, { key: created, limit });
    if (key === null) throw createBadRequestError(`You may store at most ${limit} API keys`);
    chatAudit.add(tx, 'scoped_key_created', {
      id: key.id,
      userId,
      scopes: fields.scopes,
      expiresAt: fields.expiresAt,
    });
    return { api_key: created.secret, key };
  }
}

async function removeApiKeyOfAccount(tx: Tx, userId: number, keyId: number): Promise<void> {
  if (!(await removeScopedApiKey(tx, userId, keyId)))
    throw chatErrors.create('NOT_FOUND', { message: 'API key does not exist.' });
  chatAudit.add(tx, 'scoped_key_deleted', { id: keyId, userId });
}
