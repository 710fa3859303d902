import { Inject, Injectable } from '@nestjs/common';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { lockRealm } from '../../core/database-locks.js';
import {
  getRealmRow,
  serverLimitSnapshotFields,
  realmImageEvent,
  getRealmImageApiFields,
  type RealmImageKind,
  getRealmImageUrl,
} from '../../core/realms/index.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { FileUploadForm } from '../../infra/http/file-upload-form.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { yieldBufferAsChunk, StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { DATABASE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { createRealmImageFile, getRealmImageStorageKey } from './realm-image-file.js';
import { realmLogoParameters } from './realm-images.schemas.js';

const maxIconBytes = serverLimitSnapshotFields.max_icon_file_size_mib * 1024 * 1024;
const maxLogoBytes = serverLimitSnapshotFields.max_logo_file_size_mib * 1024 * 1024;

/** Returns, uploads and removes the icon and the logos of a realm (docs/contract/chat.md 2.H). */
@Injectable()
export class RealmImagesService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
  ) {}

  /** Returns the URL of the realm's icon or of a logo. */
  async getImageUrl(actor: ChatActor, kind: RealmImageKind): Promise<string> {
    return getRealmImageUrl(await getRealmRow(this.database, actor.realmId), kind);
  }

  /**
   * Replaces the icon of the realm by an uploaded image.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, BAD_IMAGE
   */
  async uploadIcon(actor: ChatActor, form: FileUploadForm): Promise<{ icon_url: string }> {
    requireAdmin(await loadActorRights(this.database, actor));
    const { files } = await form.readIntoMemory(maxIconBytes);
    return { icon_url: await this.#store(actor, 'icon', files) };
  }

  /**
   * Replaces a logo of the realm by an uploaded image.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, BAD_IMAGE
   */
  async uploadLogo(actor: ChatActor, form: FileUploadForm): Promise<void> {
    requireAdmin(await loadActorRights(this.database, actor));
    const { files, values } = await form.readWithParameters(realmLogoParameters, maxLogoBytes);
    await this.#store(actor, values.night ? 'night_logo' : 'logo', files);
  }

  /**
   * Replaces an uploaded icon or logo by the default image, and returns the URL of the default image.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL
   */
  remove(actor: ChatActor, kind: RealmImageKind): Promise<string> {
    return this.#change(actor, kind, null);
  }

  async #store(actor: ChatActor, kind: RealmImageKind, files: readonly Buffer[]): Promise<string> {
    const [file] = files;
    if (file === undefined || files.length > 1) {
      throw createBadRequestError(`You must upload exactly one ${kind === 'icon' ? 'icon' : 'logo'}.`);
    }
    const { imageKey, content } = await createRealmImageFile(this.pictures, kind, file);
    await this.files.add(
      getRealmImageStorageKey(actor.realmId, kind, imageKey),
      yieldBufferAsChunk(content),
      'image/png',
    );
    return this.#change(actor, kind, imageKey);
  }

  /**
   * Stores the key of the realm's icon or logo, and emits the change. The key is null for the default image. Returns
   * the URL of the image.
   */
  async #change(actor: ChatActor, kind: RealmImageKind, key: string | null): Promise<string> {
    const { realmId } = actor;
    const { url, unused } = await this.database.inTransaction(async (tx) => {
      await lockRealm(tx, realmId);
      requireAdmin(await loadActorRights(tx, actor));
      const realm = await getRealmRow(tx, realmId);
      const old = realm.images[kind];
      if (old.key === null && key === null) return { url: getRealmImageUrl(realm, kind), unused: [] };
      const images = { ...realm.images, [kind]: { key, version: old.version + 1 } };
      await tx.prisma.realm.updateMany({ where: { id: realmId }, data: { images } });
      if (key !== null) await this.files.cancelFileDeletion(tx, [getRealmImageStorageKey(realmId, kind, key)]);
      const replaced = old.key === null ? [] : [getRealmImageStorageKey(realmId, kind, old.key)];
      await this.files.scheduleDeletion(tx, replaced);
      const payload = { property: kind, data: getRealmImageApiFields({ ...realm, images }, kind) };
      this.events.write(tx, realmId, realmImageEvent, { audience: { all: true }, payload });
      return { url: getRealmImageUrl({ ...realm, images }, kind), unused: replaced };
    });
    await this.files.deleteNow(unused);
    return url;
  }
}
