import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireActorRealmPermission } from '../../core/access/actor-rights.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import type { FileUploadForm } from '../../infra/http/file-upload-form.js';
import { StoredFileDeletionSchedule, yieldBufferAsChunk } from '../../infra/storage/index.js';
import { DATABASE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { emojiAddEvent, emojiUpdateEvent } from './custom-emoji.events.js';
import { addEmoji, deactivateEmoji, listEmoji } from './custom-emoji.repository.js';
import { validateEmojiName } from './custom-emoji-name.js';
import { createCustomEmojiImageFiles } from './create-emoji-picture.js';
import type { WireEmoji } from './wire-emoji.js';
import { lockCustomEmoji } from '../../core/database-locks.js';

const maxCustomEmojiImageBytes = 5 * 1024 * 1024;

/** Lists, adds and deactivates custom emoji of a realm (docs/contract/chat.md 2.H). */
@Injectable()
export class CustomEmojiService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /** Returns all custom emoji of the realm by id, including deactivated emoji. */
  async list(actor: ChatActor): Promise<{ emoji: Record<string, WireEmoji> }> {
    return { emoji: await listEmoji(this.database, actor.realmId) };
  }

  /**
   * Adds a custom emoji with an uploaded image.
   *
   * @throws ApplicationError BAD_REQUEST, BAD_IMAGE
   */
  async add(actor: ChatActor, sentName: string, form: FileUploadForm): Promise<void> {
    const { realmId } = actor;
    requireActorRealmPermission(await loadActorRights(this.database, actor), 'can_add_custom_emoji_group');
    const { files } = await form.readIntoMemory(maxCustomEmojiImageBytes);
    const [file] = files;
    if (file === undefined || files.length > 1) throw createBadRequestError('You must upload exactly one file.');
    const picture = await createCustomEmojiImageFiles(this.pictures, realmId, file);
    for (const { key, content, contentType } of picture.files)
      await this.files.add(key, yieldBufferAsChunk(content), contentType);
    await this.database.inTransaction(async (tx) => {
      const rights = await loadActorRights(tx, actor);
      requireActorRealmPermission(rights, 'can_add_custom_emoji_group');
      await lockCustomEmoji(tx, realmId);
      const others = await listEmoji(tx, realmId);
      const inUse = Object.values(others).filter(({ deactivated }) => !deactivated);
      const name = validateEmojiName(
        sentName,
        rights,
        inUse.map((emoji) => emoji.name),
      );
      await this.files.cancelFileDeletion(
        tx,
        picture.files.map(({ key }) => key),
      );
      const { fileName, isAnimated } = picture;
      const emoji = await addEmoji(tx, { realmId, authorId: actor.id, name, fileName, isAnimated });
      this.events.write(tx, realmId, emojiAddEvent, {
        audience: { all: true },
        payload: { emoji, realm_emoji: { ...others, [emoji.id]: emoji } },
      });
    });
    await this.contents.invalidate(realmId);
  }

  /**
   * Deactivates a custom emoji. Only the author of the emoji and administrators may deactivate it.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async remove(actor: ChatActor, name: string): Promise<void> {
    const { realmId } = actor;
    await this.database.inTransaction(async (tx) => {
      const rights = await loadActorRights(tx, actor);
      await lockCustomEmoji(tx, realmId);
      const all = await listEmoji(tx, realmId);
      const emoji = Object.values(all).find((one) => one.name === name && !one.deactivated);
      if (emoji === undefined) throw chatErrors.create('NOT_FOUND', { message: `Emoji '${name}' does not exist` });
      if (emoji.author_id !== actor.id && !rights.isAdmin) {
        throw createBadRequestError('Must be an organization administrator or emoji author');
      }
      await deactivateEmoji(tx, emoji.id);
      this.events.write(tx, realmId, emojiUpdateEvent, {
        audience: { all: true },
        payload: {
          emoji_id: emoji.id,
          data: { deactivated: true },
          realm_emoji: { ...all, [emoji.id]: { ...emoji, deactivated: true } },
        },
      });
    });
    await this.contents.invalidate(realmId);
  }
}
