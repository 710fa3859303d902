import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights } from '../../core/access/actor-rights.js';
import { createAvatarUrl } from '../../core/access/avatar-url.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import type { FileUploadForm } from '../../infra/http/file-upload-form.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { DATABASE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { getRealmRow } from '../../core/realms/index.js';
import { cancelAvatarFileDeletion, storeAvatarImageFiles } from './store-picture.js';
import { getAudienceOfUserEvents, lockUser, realmUserAvatarEvent, type UserRecord } from '../../core/users/index.js';
import {
  listAvatarStorageKeys,
  type AvatarPicture,
  createAvatarPicture,
  maxAvatarBytes,
} from './create-avatar-picture.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** New avatar of an account. The source is `U` for an uploaded picture and `G` for Gravatar. */
interface NewAvatarSourceAndKey {
  readonly source: 'G' | 'U';
  readonly key: string | null;
}

/** Sets and removes the avatars of users (docs/contract/chat.md 2.F). */
@Injectable()
export class AvatarService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
  ) {}

  /**
   * Sets an uploaded picture as the actor's avatar.
   *
   * @throws ApplicationError BAD_REQUEST, BAD_IMAGE
   */
  async upload(actor: ChatActor, form: FileUploadForm): Promise<{ avatar_url: string }> {
    const { files } = await form.readIntoMemory(maxAvatarBytes);
    const [file] = files;
    if (file === undefined || files.length > 1) throw createBadRequestError('You must upload exactly one avatar.');
    await this.#rejectIfDisabled(this.database, actor);
    const picture = await createAvatarPicture(this.pictures, actor.realmId, file);
    await storeAvatarImageFiles(this.files, picture);
    return this.#change(actor, { source: 'U', key: picture.avatarKey }, picture);
  }

  /**
   * Replaces the actor's uploaded avatar by the actor's Gravatar picture.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  remove(actor: ChatActor): Promise<{ avatar_url: string }> {
    return this.#change(actor, { source: 'G', key: null }, null);
  }

  async #change(
    actor: ChatActor,
    avatar: NewAvatarSourceAndKey,
    picture: AvatarPicture | null,
  ): Promise<{ avatar_url: string }> {
    const { url, oldKeys } = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      await this.#rejectIfDisabled(tx, actor);
      const user = await lockUser(tx, actor.realmId, actor.id);
      if (user === null) throw createBadRequestError('No such user');
      if (picture !== null) await cancelAvatarFileDeletion(this.files, tx, picture);
      const replaced = await replaceStoredAvatarKey(tx, user, avatar);
      const old = replaced === null ? [] : listAvatarStorageKeys(actor.realmId, replaced);
      await this.files.scheduleDeletion(tx, old);
      const changed = { ...user, avatarSource: avatar.source, avatarVersion: user.avatarVersion + 1 };
      await this.#emitEvent(tx, actor, changed, avatar.source);
      return { url: createAvatarUrl(actor, changed, false) ?? '', oldKeys: old };
    });
    await this.files.deleteNow(oldKeys);
    return { avatar_url: url };
  }

  async #emitEvent(tx: Tx, actor: ChatActor, user: UserRecord, source: 'G' | 'U'): Promise<void> {
    const { audience } = await getAudienceOfUserEvents(tx, actor.realmId, user.id);
    const { id, deliveryEmail, emailVisibility, isBot, avatarVersion } = user;
    const payload = { id, deliveryEmail, emailVisibility, isBot, avatarSource: source, avatarVersion };
    this.events.write(tx, actor.realmId, realmUserAvatarEvent, { audience, payload });
  }

  async #rejectIfDisabled(tx: Tx, actor: ChatActor): Promise<void> {
    const { settings } = await getRealmRow(tx, actor.realmId);
    if (settings.avatar_changes_disabled && !(await loadActorRights(tx, actor)).isAdmin) {
      throw createBadRequestError('Avatar changes are disabled in this organization.');
    }
  }
}

/**
 * Stores the avatar of an account.
 *
 * @returns the key of the previous picture, or null if there was none
 */
async function replaceStoredAvatarKey(
  tx: Tx,
  { id }: UserRecord,
  { source, key }: NewAvatarSourceAndKey,
): Promise<string | null> {
  const { rows } = await tx.query<{ avatar_key: string | null }>(
    `UPDATE users u SET avatar_source = $2, avatar_key = $3, avatar_version = u.avatar_version + 1
     FROM users before WHERE u.id = $1 AND before.id = u.id RETURNING before.avatar_key`,
    [id, source, key],
  );
  return rows[0]?.avatar_key ?? null;
}
