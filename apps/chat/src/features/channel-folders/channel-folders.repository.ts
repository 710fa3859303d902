import { lockFolder } from '../../core/database-locks.js';
import type { ChatTx, PrismaReader } from '../../infra/open-prisma.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { folderColumns, toWireFolder, type WireChannelFolder } from './wire-channel-folder.js';

/** Lists the channel folders of a realm in their configured order, including archived folders. */
export async function listFolders({ prisma }: PrismaReader, realmId: number): Promise<WireChannelFolder[]> {
  const rows = await prisma.channelFolder.findMany({
    where: { realmId },
    select: folderColumns,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  return rows.map(toWireFolder);
}

/** A channel folder to be created. */
export interface NewFolder {
  readonly realmId: number;
  readonly creatorId: number;
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  readonly position: number;
}

/**
 * Inserts a channel folder. The caller must have locked the folders of the realm and checked that no other folder has
 * the name.
 */
export async function addFolder({ prisma }: ChatTx, folder: NewFolder): Promise<WireChannelFolder> {
  const data = { ...folder, nameKey: toTextKey(folder.name) };
  return toWireFolder(await prisma.channelFolder.create({ data, select: folderColumns }));
}

/** Updates the name, description and archived state of a channel folder. */
export async function updateFolder({ prisma }: ChatTx, folder: WireChannelFolder): Promise<void> {
  const { id, name, description, rendered_description: renderedDescription, is_archived: isArchived } = folder;
  const data = { name, nameKey: toTextKey(name), description, renderedDescription, isArchived };
  await prisma.channelFolder.updateMany({ where: { id }, data });
}

/**
 * Locks a channel folder, so that no channel is added to it before the transaction ends. Returns true if the folder
 * contains channels.
 */
export async function lockedFolderHasChannels(tx: ChatTx, folderId: number): Promise<boolean> {
  await lockFolder(tx, folderId);
  return (await tx.prisma.channel.findFirst({ where: { folderId }, select: { id: true } })) !== null;
}
