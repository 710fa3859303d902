import { avatarsStage, emojiStage, iconsStage } from './pictures-stages.js';
import { documentsStage } from './documents-stage.js';
import type { ExportStage } from './export-stage.js';
import { messagesStage } from './messages-stage.js';
import { tablesStage } from './tables-stage.js';
import { uploadsStage } from './uploads-stage.js';

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
