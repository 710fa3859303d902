import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DownloadExport } from './download-export.query.js';
import { ExportDownloadsController } from './export-downloads.controller.js';
import { RealmExportController } from './realm-export.controller.js';
import { realmExportEvents } from './realm-export.events.js';
import { RealmExportsService } from './realm-exports.action.js';
import { realmExportEnvironmentVariables } from './settings.js';
import { openRealmExportWorker } from './worker/open-realm-export-worker.js';

/** Feature module (slice) of exports. The module declares endpoints, events and the worker that makes the archives. */
export const realmExportFeatureModule = defineFeatureModule('realm-export', {
  controllers: [RealmExportController, ExportDownloadsController],
  providers: [RealmExportsService, DownloadExport],
  events: realmExportEvents,
  worker: openRealmExportWorker,
  configuration: realmExportEnvironmentVariables,
});
