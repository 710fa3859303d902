import { Inject, Injectable } from '@nestjs/common';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectBots, requireAdmin } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { findUsers } from '../../core/access/find-users.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { AccountUpdater, changeBotOwner } from '../users/index.js';
import {
  createBotAudienceLookup,
  createEmailInUseError,
  listUsers,
  selectBotFieldsWithoutSecrets,
  realmBotSecretEvent,
  realmBotUpdateEvent,
  toWireBot,
  type UserRecord,
  writeBotConfig,
} from '../../core/users/index.js';
import { lockBotForChange } from './lock-bot-for-change.js';
import { createBotEmailAddress } from './bot-email-address.js';
import { checkIncomingWebhookConfiguration } from './check-bot-config.js';
import { checkBotServiceUrl, updateOrAddBotService } from './store-bot-service.js';
import { botTypeParameter, type updateBotParameters } from './bots.schemas.js';
import { lockRequestedDefaultChannels, writeDefaultChannelsOfBot } from './bot-default-channels.js';
import { getBotForManagers } from './get-bot-with-access.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

type UpdateBotParameters = DecodedParametersOfDefinition<typeof updateBotParameters>;

/**
 * Changes a bot on request of its owner or an administrator. Only administrators may change the bot's role
 * (docs/contract/chat.md 2.F).
 */
@Injectable()
export class UpdateBot {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly apiKeys: ApiKeyStore,
    private readonly changes: AccountUpdater,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
  ) {}

  /**
   * Changes the bot with the given id. Returns the changed bot.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, botId: number, parameters: UpdateBotParameters) {
    rejectBots(actor);
    const { short_name: shortName } = parameters;
    const email = shortName === undefined ? null : createBotEmailAddress(this.config, shortName);
    const response = await this.#inTransactionWithAddress(email, async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const { bot, rights } = await lockBotForChange(tx, actor, botId);
      if (parameters.role !== undefined) requireAdmin(rights);
      await this.changes.changeFullName(tx, actor, bot, parameters.full_name);
      await this.#changeAddress(tx, actor, bot, email);
      await this.changes.changeRole(tx, rights, actor, bot, parameters.role);
      await this.#changeService(tx, actor, bot, parameters);
      if (bot.botType === botTypeParameter.incomingWebhook) {
        await writeBotConfig(tx, this.apiKeys, bot.id, checkIncomingWebhookConfiguration(parameters.config_data ?? {}));
      }
      await this.#changeFields(tx, actor, bot, parameters);
      await this.#changeOwner(tx, actor, bot, parameters.bot_owner_id);
      return this.#readBot(tx, actor, botId);
    });
    await this.revocation.invalidateCredentials([botId]);
    return response;
  }

  /**
   * Runs a change of a bot in a transaction. If another account already has the requested email address, converts the
   * violation of the unique index to an API error.
   */
  async #inTransactionWithAddress<T>(email: string | null, run: (tx: ChatTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.inTransaction(run);
    } catch (error) {
      if (email !== null && convertErrorToDatabaseFault(error)?.kind === 'unique') throw createEmailInUseError(email);
      throw error;
    }
  }

  async #changeAddress(tx: ChatTransaction, actor: ChatActor, bot: UserRecord, email: string | null): Promise<void> {
    if (email === null || email === bot.deliveryEmail) return;
    await this.changes.storeNewEmailAddress(tx, actor.realmId, bot, email);
    const audience = (await createBotAudienceLookup(tx, actor.realmId))(bot.botOwnerId);
    this.events.write(tx, actor.realmId, realmBotUpdateEvent, {
      audience,
      payload: { userId: bot.id, change: { email } },
    });
  }

  /** Changes the name and default channels of a bot, and emits the changed fields to the users who manage the bot. */
  async #changeFields(
    tx: ChatTransaction,
    actor: ChatActor,
    bot: UserRecord,
    parameters: UpdateBotParameters,
  ): Promise<void> {
    const before = await getBotForManagers(tx, actor.realmId, bot.id);
    const old = selectBotFieldsWithoutSecrets(before.row, bot, actor);
    await writeDefaultChannelsOfBot(tx, bot.id, await lockRequestedDefaultChannels(tx, actor, parameters));
    const { row, user } = await getBotForManagers(tx, actor.realmId, bot.id);
    const now = selectBotFieldsWithoutSecrets(row, user, actor);
    const names = [
      'full_name',
      'default_sending_stream',
      'default_events_register_stream',
      'default_all_public_streams',
    ] as const;
    const change = Object.fromEntries(names.filter((name) => now[name] !== old[name]).map((name) => [name, now[name]]));
    if (Object.keys(change).length === 0) return;
    const audience = (await createBotAudienceLookup(tx, actor.realmId))(bot.botOwnerId);
    this.events.write(tx, actor.realmId, realmBotUpdateEvent, { audience, payload: { userId: bot.id, change } });
  }

  async #changeService(
    tx: ChatTransaction,
    actor: ChatActor,
    bot: UserRecord,
    parameters: UpdateBotParameters,
  ): Promise<void> {
    const { service_payload_url: url, service_interface: form } = parameters;
    if (url === undefined && form === undefined) return;
    const baseUrl = url === undefined ? null : checkBotServiceUrl(url);
    await updateOrAddBotService(tx, this.apiKeys, bot, { baseUrl, interface: form ?? null });
    const { row } = await getBotForManagers(tx, actor.realmId, bot.id);
    if (row.service === null) return;
    const { token_sealed: sealedToken, ...service } = row.service;
    const audience = (await createBotAudienceLookup(tx, actor.realmId))(bot.botOwnerId);
    const payload = { userId: bot.id, secret: { ...service, sealedToken } };
    this.events.write(tx, actor.realmId, realmBotSecretEvent, { audience, payload });
  }

  async #changeOwner(
    tx: ChatTransaction,
    actor: ChatActor,
    bot: UserRecord,
    ownerId: number | undefined,
  ): Promise<void> {
    if (ownerId === undefined || ownerId === bot.botOwnerId) return;
    const known = await findUsers(tx, actor, [ownerId], { lock: false });
    const [owner] = known.has(ownerId) ? await listUsers(tx, actor.realmId, [ownerId]) : [];
    if (owner === undefined || owner.isSystemBot) throw createBadRequestError('Failed to change owner, user not found');
    if (!owner.isActive) throw createBadRequestError('Failed to change owner, user is deactivated');
    if (owner.isBot) throw createBadRequestError("Failed to change owner, bots can't own other bots");
    const { user } = await getBotForManagers(tx, actor.realmId, bot.id);
    await changeBotOwner(this.events, tx, actor.realmId, user, ownerId);
  }

  async #readBot(tx: ChatTransaction, actor: ChatActor, botId: number) {
    const { row, user } = await getBotForManagers(tx, actor.realmId, botId);
    const bot = toWireBot(row, user, { actor, apiKeys: this.apiKeys });
    return {
      full_name: bot.full_name,
      avatar_url: bot.avatar_url,
      bot_owner_id: bot.owner_id,
      default_sending_stream: bot.default_sending_stream,
      default_events_register_stream: bot.default_events_register_stream,
      default_all_public_streams: bot.default_all_public_streams,
      ...(row.service !== null && {
        service_payload_url: row.service.base_url,
        service_interface: row.service.interface,
      }),
    };
  }
}
