import { lockChannelFolder } from '../../core/database-locks.js';
import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { channelFolderColumns, toWireChannelFolder, type WireChannelFolder } from './wire-channel-folder.js';

/** Lists the channel folders of a realm in their configured order, including archived folders. */
export async function listChannelFolders({ prisma }: PrismaReader, realmId: number): Promise<WireChannelFolder[]> {
  const rows = await prisma.channelFolder.findMany({
    where: { realmId },
    select: channelFolderColumns,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  return rows.map(toWireChannelFolder);
}

/** A channel folder to be created. */
export interface NewChannelFolder {
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
export async function addChannelFolder(
  { prisma }: ChatTransaction,
  folder: NewChannelFolder,
): Promise<WireChannelFolder> {
  const data = { ...folder, nameKey: normalizeTextForComparison(folder.name) };
  return toWireChannelFolder(await prisma.channelFolder.create({ data, select: channelFolderColumns }));
}

/** Updates the name, description and archived state of a channel folder. */
export async function updateChannelFolder({ prisma }: ChatTransaction, folder: WireChannelFolder): Promise<void> {
  const { id, name, description, rendered_description: renderedDescription, is_archived: isArchived } = folder;
  const data = { name, nameKey: normalizeTextForComparison(name), description, renderedDescription, isArchived };
  await prisma.channelFolder.updateMany({ where: { id }, data });
}

/**
 * Locks a channel folder, so that no channel is added to it before the transaction ends. Returns true if the folder
 * contains channels.
 */
export async function lockFolderAndCheckChannels(tx: ChatTransaction, folderId: number): Promise<boolean> {
  await lockChannelFolder(tx, folderId);
  return (await tx.prisma.channel.findFirst({ where: { folderId }, select: { id: true } })) !== null;
}
