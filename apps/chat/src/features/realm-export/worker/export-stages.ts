import { avatarsStage, emojiStage, iconsStage } from './picture-export-stages.js';
import { documentsStage } from './document-export-stage.js';
import type { ExportStage } from './export-stage.js';
import { messagesStage } from './message-export-stage.js';
import { tablesStage } from './table-export-stage.js';
import { uploadsStage } from './upload-export-stage.js';

/**
 * Stages of an export in their order. Messages are first, so that later stages export only rows whose messages are in
 * the archive. All other rows to which messages refer, such as accounts and channels, are never deleted.
 */
export const exportStages: readonly ExportStage[] = [
  messagesStage,
  tablesStage,
  uploadsStage,
  avatarsStage,
  emojiStage,
  iconsStage,
  documentsStage,
];
