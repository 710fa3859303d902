import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { type StoredFileDeletionSchedule, yieldBufferAsChunk } from '../../infra/storage/index.js';
import { addEmoji, createCustomEmojiImageFiles, listEmoji } from '../../features/custom-emoji/index.js';
import { lockCustomEmoji } from '../../core/database-locks.js';

const demoEmojiName = 'green_tick';

/** PNG image of the custom demo emoji, 64 by 64 pixels. */
const demoEmojiImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAMFBMVEVMaXEunUItnkMtn0MtnUMrnEMtnkMtnUMtnUQtnkMtnkMt' +
    'nkQtnUMtnkMsnUMunkRqWkElAAAAD3RSTlMAFeEq8AhMumT4e6TPkjiajrRxAAAACXBIWXMAAAsTAAALEwEAmpwYAAABWUlEQVRI' +
    'x+2VP0vDUBTFG6S1WCzF2SWDs0X6CSy4JpuLQ9ZO2sFZVyc3R9sPIOg3EAfngl/AOrqWgn9iuCa5l/Tm5Z2XSbp4xpwDeffdX04a' +
    'jX/9ud5q/I3DvjuwQ0dOv3lBdOkKbBNREjoC92mAxthvZT4t8DkHeYD2kO/tcwAe84T9BL7hkQNnyN9i/6eHAqccGCK/O8n9rzle' +
    'Q65PuIYZB6YosMl+DGd85cAz8tvsL+CM75YZW5FCLeBApANXt5UZv8tvXc41apkeDHqGGrVUH6GxmmVfo0bkV+b2NWqrfKaOHltQ' +
    'u7HA8QRRGwkdIUJNrpbOIWrXMhlETR6nd4NQk/3GEDW5PXqBqMnZCKLW0X4M2qKQFbXjlW9HzZsVAfA57RaByF0IZdS0DsiCWqk3' +
    'gypqtlbyca91AxM1UyMTtUo1TmrKNwUncfd7G7ea6K5XE/DW82v7BTJAkg8Ds2q5AAAAAElFTkSuQmCC',
  'base64',
);

/**
 * Adds the custom emoji of the demo realm (docs/contract/chat.md 7.1), unless the realm has custom emoji. A separate
 * function from the other demo data, because the image of the emoji is in the file storage. Repeated and concurrent
 * calls have the same effect as one.
 */
export async function addDemoEmoji(
  database: ChatDatabaseWithPrisma,
  files: StoredFileDeletionSchedule,
  pictures: ImageProcessor,
): Promise<void> {
  const author = await database.prisma.user.findFirst({
    where: { realm: { stringId: 'zulip' }, role: userRoleNumbers.owner },
    orderBy: { id: 'asc' },
    select: { id: true, realmId: true },
  });
  if (author === null || Object.keys(await listEmoji(database, author.realmId)).length > 0) return;
  const picture = await createCustomEmojiImageFiles(pictures, author.realmId, demoEmojiImage);
  for (const { key, content, contentType } of picture.files)
    await files.add(key, yieldBufferAsChunk(content), contentType);
  await database.inTransaction(async (tx) => {
    await lockCustomEmoji(tx, author.realmId);
    if (Object.keys(await listEmoji(tx, author.realmId)).length > 0) return;
    await files.cancelFileDeletion(
      tx,
      picture.files.map(({ key }) => key),
    );
    const { fileName, isAnimated } = picture;
    await addEmoji(tx, { realmId: author.realmId, authorId: author.id, name: demoEmojiName, fileName, isAnimated });
  });
}
