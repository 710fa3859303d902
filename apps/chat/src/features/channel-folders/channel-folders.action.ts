import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, rejectGuests, requireAdmin } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  channelFolderAddEvent,
  type ChangedChannelFolderFields,
  folderReorderEvent,
  folderUpdateEvent,
} from './channel-folders.events.js';
import { lockFolders } from '../../core/database-locks.js';
import { writeRowPositions } from '../../core/replication-write-positions.js';
import {
  addChannelFolder,
  listChannelFolders,
  lockFolderAndCheckChannels,
  updateChannelFolder,
} from './channel-folders.repository.js';
import type { channelFolderCreationParameters, channelFolderUpdateParameters } from './channel-folders.schemas.js';
import { validateFolderDescription, validateFolderName } from './folder-name-and-description.js';
import type { WireChannelFolder } from './wire-channel-folder.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';

/** Creates, changes and orders channel folders (chat-4.8, docs/contract/chat.md 2.E). */
@Injectable()
export class ChannelFoldersService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Lists the channel folders of the realm in their configured order.
   *
   * @throws ApplicationError BAD_REQUEST for guests
   */
  async list(actor: ChatActor, withArchived: boolean): Promise<{ channel_folders: WireChannelFolder[] }> {
    rejectGuests(actor);
    const folders = await listChannelFolders(this.database, actor.realmId);
    return { channel_folders: folders.filter((folder) => withArchived || !folder.is_archived) };
  }

  /**
   * Creates a channel folder.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  create(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof channelFolderCreationParameters>,
  ): Promise<{ channel_folder_id: number }> {
    const description = validateFolderDescription(parameters.description);
    return this.#changeInTransaction(actor, async (tx, folders) => {
      const folder = await addChannelFolder(tx, {
        realmId: actor.realmId,
        creatorId: actor.id,
        name: validateFolderName(parameters.name, folders),
        description,
        renderedDescription: this.renderer.renderPlain(description),
        position: folders.length,
      });
      this.events.write(tx, actor.realmId, channelFolderAddEvent, { audience: { all: true }, payload: { folder } });
      return { channel_folder_id: folder.id };
    });
  }

  /**
   * Changes the name, description or archived state of a channel folder.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  update(
    actor: ChatActor,
    folderId: number,
    parameters: DecodedParametersOfDefinition<typeof channelFolderUpdateParameters>,
  ): Promise<void> {
    return this.#changeInTransaction(actor, async (tx, folders) => {
      const folder = folders.find(({ id }) => id === folderId);
      if (folder === undefined) throw createBadRequestError('Invalid channel folder ID');
      const others = folders.filter(({ id }) => id !== folderId);
      const changed = this.#checkedChange(folder, others, parameters);
      const change = getChangedChannelFolderFields(folder, changed);
      if (Object.keys(change).length === 0) return;
      if (change.is_archived === true && (await lockFolderAndCheckChannels(tx, folderId))) {
        throw createBadRequestError('A folder that has channels cannot be archived.');
      }
      await updateChannelFolder(tx, changed);
      const payload = { folderId, change };
      this.events.write(tx, actor.realmId, folderUpdateEvent, { audience: { all: true }, payload });
    });
  }

  /**
   * Changes the order of the channel folders.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL; BAD_REQUEST unless `order` contains the id of each folder exactly
   * once
   */
  reorder(actor: ChatActor, order: readonly number[]): Promise<void> {
    return this.#changeInTransaction(actor, async (tx, folders) => {
      const named = new Set(order);
      const isWhole = named.size === order.length && folders.every(({ id }) => named.has(id));
      if (!isWhole || order.length !== folders.length) throw createBadRequestError('Invalid order mapping.');
      await writeRowPositions(tx, 'channel_folders', order);
      this.events.write(tx, actor.realmId, folderReorderEvent, {
        audience: { all: true },
        payload: { order: [...order] },
      });
    });
  }

  /** Runs a change of the realm's channel folders in a transaction. Concurrent changes run one after another. */
  #changeInTransaction<T>(
    actor: ChatActor,
    run: (tx: ChatTransaction, folders: WireChannelFolder[]) => Promise<T>,
  ): Promise<T> {
    return this.database.inTransaction(async (tx) => {
      requireAdmin(await loadActorRights(tx, actor));
      await lockFolders(tx, actor.realmId);
      return run(tx, await listChannelFolders(tx, actor.realmId));
    });
  }

  #checkedChange(
    folder: WireChannelFolder,
    others: readonly WireChannelFolder[],
    parameters: DecodedParametersOfDefinition<typeof channelFolderUpdateParameters>,
  ): WireChannelFolder {
    const changed = { ...folder, is_archived: parameters.is_archived ?? folder.is_archived };
    if (parameters.name !== undefined) changed.name = validateFolderName(parameters.name, others);
    if (parameters.description !== undefined) {
      changed.description = validateFolderDescription(parameters.description);
      changed.rendered_description = this.renderer.renderPlain(changed.description);
    }
    return changed;
  }
}

function getChangedChannelFolderFields(
  before: WireChannelFolder,
  after: WireChannelFolder,
): ChangedChannelFolderFields {
  const { name, description, rendered_description, is_archived } = after;
  return {
    ...(name !== before.name && { name }),
    ...(description !== before.description && { description, rendered_description }),
    ...(is_archived !== before.is_archived && { is_archived }),
  };
}
