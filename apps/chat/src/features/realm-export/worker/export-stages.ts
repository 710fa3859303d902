import { avatarsExportStage, emojiExportStage, realmIconsExportStage } from './picture-export-stages.js';
import { metadataFilesExportStage } from './metadata-files-export-stage.js';
import type { ExportStage } from './export-stage.js';
import { messagesExportStage } from './message-export-stage.js';
import { tablesExportStage } from './table-export-stage.js';
import { uploadsExportStage } from './upload-export-stage.js';

/**
 * Stages of an export, in the order of execution. Messages are exported first, so that later stages export only rows
 * whose messages are in the archive. Other rows to which messages refer, such as accounts and channels, are never
 * deleted.
 */
export const exportStages: readonly ExportStage[] = [
  messagesExportStage,
  tablesExportStage,
  uploadsExportStage,
  avatarsExportStage,
  emojiExportStage,
  realmIconsExportStage,
  metadataFilesExportStage,
];
