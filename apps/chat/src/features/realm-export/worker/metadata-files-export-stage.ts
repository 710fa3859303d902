import { announcedServerVersion } from '../../../core/realms/index.js';
import { archiveEntryNumbers, type ExportStage } from './export-stage.js';

/**
 * Statistics tables of the reference server (Zulip) that this service does not have. The export contains these tables
 * without rows.
 */
const statisticsTableNames = { analytics_realmcount: [], analytics_usercount: [], analytics_streamcount: [] };

/**
 * Export stage that writes the small documents of the archive. Zulip's importer compares the major version. The
 * importer accepts an archive without the server's list of migrations, and prints a warning.
 */
export const metadataFilesExportStage: ExportStage = {
  async run({ parts, counts, isPublic, consentingIds }) {
    const documents: readonly (readonly [entry: number, name: string, content: object])[] = [
      [
        archiveEntryNumbers.migrationStatus,
        'migration_status.json',
        { migrations_by_app: {}, zulip_version: announcedServerVersion.zulip_version },
      ],
      [archiveEntryNumbers.analytics, 'analytics.json', statisticsTableNames],
      [archiveEntryNumbers.stats, 'stats.json', counts],
      ...(isPublic ? [] : [[archiveEntryNumbers.consents, 'consented_user_ids.json', consentingIds] as const]),
    ];
    const written = [];
    for (const [entry, name, content] of documents) {
      written.push(await parts.write(entry, name, [JSON.stringify(content)]));
    }
    return { parts: written, cursor: null };
  },
};
