import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { rejectBots } from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { lockUserRow } from '../../core/database-locks.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { addPushToken, hasPushToken, removePushToken } from './push-tokens.repository.js';

/** Name of the push service that issued a token: `apns` for Apple, `fcm` for Google. */
export type PushServiceName = 'apns' | 'fcm';

const maxPushTokenLength = 4096;

/**
 * Stores and removes the push notification tokens of users' mobile apps (docs/contract/chat.md 2.I). This server has no
 * account with a push service, so no notifications are sent.
 */
@Injectable()
export class PushTokensService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly apiKeys: ApiKeyStore,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'PUSH_TOKENS_PER_USER'>,
  ) {}

  /**
   * Stores a push token of the actor, and deletes the actor's oldest tokens beyond the maximum number per user.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async add(actor: ChatActor, kind: PushServiceName, token: string, iosAppId: string | null): Promise<void> {
    rejectBots(actor);
    checkPushToken(kind, token);
    const added = {
      kind,
      digest: digestPushToken(token),
      sealed: this.apiKeys.encryptAccountSecret(actor.id, token),
      iosAppId,
    };
    await this.database.inTransaction(async (tx) => {
      // The lock makes the second of two concurrent requests count the token of the first.
      await lockUserRow(tx, actor.id);
      await addPushToken(tx, actor.id, added, this.config.PUSH_TOKENS_PER_USER);
    });
  }

  /** Deletes a push token of the actor. @throws ApplicationError BAD_REQUEST */
  async remove(actor: ChatActor, kind: PushServiceName, token: string): Promise<void> {
    rejectBots(actor);
    checkPushToken(kind, token);
    if (!(await removePushToken(this.database, actor.id, kind, digestPushToken(token)))) {
      throw createBadRequestError('Token does not exist');
    }
  }

  /**
   * Throws the error that explains why no test push notification can be sent.
   *
   * @throws ApplicationError BAD_REQUEST for bots, INVALID_PUSH_DEVICE_TOKEN, PUSH_SERVICE_NOT_CONFIGURED
   */
  async throwTestNotificationError(actor: ChatActor, token: string | undefined): Promise<never> {
    rejectBots(actor);
    if (token !== undefined && !(await hasPushToken(this.database, actor.id, digestPushToken(token)))) {
      throw chatErrors.create('INVALID_PUSH_DEVICE_TOKEN');
    }
    throw chatErrors.create('PUSH_SERVICE_NOT_CONFIGURED');
  }

  /** Throws an ApplicationError, because the server cannot register devices for encrypted push notifications. */
  throwDeviceRegistrationError(actor: ChatActor): never {
    rejectBots(actor);
    throw chatErrors.create('PUSH_SERVICE_NOT_CONFIGURED');
  }

  /**
   * Throws an error, because no device can be registered for encrypted push notifications.
   *
   * @throws ApplicationError
   */
  throwEncryptedNotificationError(actor: ChatActor): never {
    rejectBots(actor);
    throw chatErrors.create('NO_ACTIVE_PUSH_DEVICE');
  }
}

function digestPushToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function checkPushToken(kind: PushServiceName, token: string): void {
  if (token === '' || token.length > maxPushTokenLength) throw createBadRequestError('Empty or invalid length token');
  if (kind === 'apns' && !isBase64Text(token)) throw createBadRequestError('Invalid APNS token');
}

/**
 * Returns true if a text is Base64 (RFC 4648) with padding. Characters outside the Base64 alphabet are ignored, like in
 * MIME decoders.
 */
function isBase64Text(text: string): boolean {
  const [digits, padding] = [/[A-Za-z0-9+/]/g, /=/g].map((pattern) => text.match(pattern)?.length ?? 0);
  return digits !== undefined && digits > 0 && digits % 4 !== 1 && (digits + (padding ?? 0)) % 4 === 0;
}
