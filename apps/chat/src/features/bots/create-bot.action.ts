import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { loadActorRights, rejectBots, requireActorRealmPermission } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { createBotWithOwnerPayload, emitNewAccountEvents } from '../users/index.js';
import {
  type AvatarPicture,
  createAvatarPicture,
  setAvatarOfNewAccount,
  storeAvatarImageFiles,
} from '../avatars/index.js';
import {
  addUser,
  createBotAudienceLookup,
  checkFullName,
  checkUserNameIsUnique,
  createEmailInUseError,
  realmBotAddEvent,
  toWireBot,
  type WireBot,
  writeBotConfig,
} from '../../core/users/index.js';
import { createBotEmailAddress } from './bot-email-address.js';
import { checkIncomingWebhookConfiguration, checkServiceName } from './check-bot-config.js';
import { storeNewBotService, checkBotServiceUrl } from './store-bot-service.js';
import { botTypeParameter, type createBotParameters } from './bots.schemas.js';
import { lockRequestedDefaultChannels, writeDefaultChannelsOfBot } from './bot-default-channels.js';
import { getBotForManagers } from './get-bot-with-access.js';
import { lockRealmMembership } from '../../core/database-locks.js';

type CreateBotParameters = DecodedParametersOfDefinition<typeof createBotParameters>;

/** Creates a bot that the actor owns (docs/contract/chat.md 2.F). */
@Injectable()
export class CreateBot {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
    private readonly apiKeys: ApiKeyStore,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
  ) {}

  /**
   * @param files The bot's avatar, if any.
   * @throws ApplicationError BAD_REQUEST, BAD_IMAGE, REQUEST_VARIABLE_MISSING
   */
  async run(actor: ChatActor, parameters: CreateBotParameters, files: readonly Buffer[]) {
    rejectBots(actor);
    const kind = checkBotType(parameters.bot_type);
    const fullName = checkFullName(parameters.full_name);
    const email = createBotEmailAddress(this.config, parameters.short_name);
    const payloadUrl = kind === botTypeParameter.outgoingWebhook ? requireBotServiceUrl(parameters.payload_url) : null;
    const config = getCheckedBotConfiguration(kind, parameters);
    const picture = await this.#storeAvatar(actor, kind, files);
    try {
      return await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, actor.realmId, 'exclusive');
        await checkCreateBotRights(tx, actor, kind);
        await checkUserNameIsUnique(tx, actor.realmId, fullName, 0);
        const defaults = await lockRequestedDefaultChannels(tx, actor, parameters);
        const id = await addUser(tx, this.apiKeys, {
          realmId: actor.realmId,
          email,
          fullName,
          role: userRoleNumbers.member,
          passwordHash: null,
          botType: kind,
          botOwnerId: actor.id,
        });
        await writeDefaultChannelsOfBot(tx, id, defaults);
        await writeBotConfig(tx, this.apiKeys, id, config);
        if (picture !== null) await setAvatarOfNewAccount(this.files, tx, id, picture);
        if (payloadUrl !== null) {
          await storeNewBotService(tx, this.apiKeys, {
            botId: id,
            baseUrl: payloadUrl,
            interface: parameters.interface_type,
          });
        }
        chatAudit.add(tx, 'bot_created', { id, ownerId: actor.id, botType: kind });
        return this.#emitCreation(tx, actor, id);
      });
    } catch (error) {
      if (convertErrorToDatabaseFault(error)?.kind === 'unique') throw createEmailInUseError(email);
      throw error;
    }
  }

  /**
   * Stores the uploaded avatar of a new bot after checking the permission to create the bot. Returns null if the
   * request contains no avatar.
   *
   * @throws ApplicationError BAD_REQUEST, BAD_IMAGE
   */
  async #storeAvatar(actor: ChatActor, kind: number, files: readonly Buffer[]): Promise<AvatarPicture | null> {
    const [file] = files;
    if (file === undefined) return null;
    if (files.length > 1) throw createBadRequestError('You may only upload one file at a time');
    await checkCreateBotRights(this.database, actor, kind);
    const picture = await createAvatarPicture(this.pictures, actor.realmId, file);
    await storeAvatarImageFiles(this.files, picture);
    return picture;
  }

  async #emitCreation(tx: Tx, actor: ChatActor, id: number) {
    await emitNewAccountEvents(this.events, tx, actor.realmId, id);
    const { row, user } = await getBotForManagers(tx, actor.realmId, id);
    const audience = (await createBotAudienceLookup(tx, actor.realmId))(actor.id);
    this.events.write(tx, actor.realmId, realmBotAddEvent, { audience, payload: createBotWithOwnerPayload(row, user) });
    return toBotCreationResponse(toWireBot(row, user, { actor, apiKeys: this.apiKeys }));
  }
}

/**
 * Checks and returns the configuration of a new bot. The configuration is empty for all bots except incoming webhook
 * bots.
 *
 * @throws ApplicationError BAD_REQUEST
 */
function getCheckedBotConfiguration(kind: number, { service_name: name, config_data: config }: CreateBotParameters) {
  if (kind !== botTypeParameter.incomingWebhook) return {};
  checkServiceName(name);
  return checkIncomingWebhookConfiguration(config ?? {});
}

function toBotCreationResponse(bot: WireBot) {
  return {
    user_id: bot.user_id,
    api_key: bot.api_key,
    avatar_url: bot.avatar_url,
    default_sending_stream: bot.default_sending_stream,
    default_events_register_stream: bot.default_events_register_stream,
    default_all_public_streams: bot.default_all_public_streams,
  };
}

function checkBotType(kind: number): number {
  if (kind === 4) throw createBadRequestError('Embedded bots are not enabled.');
  if (!Object.values<number>(botTypeParameter).includes(kind)) throw createBadRequestError('Invalid bot type');
  return kind;
}

/**
 * Checks the actor's permission to create a bot. Creating a bot that can only send messages requires a weaker
 * permission.
 */
async function checkCreateBotRights(tx: Tx, actor: ChatActor, kind: number): Promise<void> {
  const rights = await loadActorRights(tx, actor);
  const isWriteOnly = kind === botTypeParameter.incomingWebhook;
  if (isWriteOnly && rights.hasRealmPermission('can_create_write_only_bots_group')) return;
  requireActorRealmPermission(rights, 'can_create_bots_group');
}

function requireBotServiceUrl(text: string | undefined): string {
  if (text !== undefined) return checkBotServiceUrl(text);
  const fields = { var_name: 'payload_url' };
  throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
}
