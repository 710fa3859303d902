import { archiveEntryNumbers } from '../worker/export-stage.js';
import type { ExportedTable } from './exported-table.js';

/** Definitions of the exported tables with data that belongs to the messages in the archive. */
export const exportedMessageTables: readonly ExportedTable[] = [
  {
    name: 'zerver_reaction',
    sources: [
      {
        // A custom emoji has its current name: the reference's importer compares the names.
        row: `json_build_object('id', re.id, 'message', re.message_id, 'user_profile', re.user_id,
          'emoji_name', coalesce(e.name, re.emoji_name), 'emoji_code', re.emoji_code, 'reaction_type', re.reaction_type)`,
        // OFFSET makes PostgreSQL look up the reactions of each message, instead of reading all reactions per file.
        from: `realm_export_parts p CROSS JOIN LATERAL unnest(p.message_ids) AS exported(id)
          CROSS JOIN LATERAL (SELECT * FROM reactions found WHERE found.message_id = exported.id OFFSET 0) re
          LEFT JOIN realm_emoji e ON re.reaction_type = 'realm_emoji' AND e.id::text = re.emoji_code
          WHERE p.export_id = $5 AND p.entry > ${archiveEntryNumbers.messages}
            AND (re.reaction_type <> 'realm_emoji' OR e.id IS NOT NULL)`,
        key: [
          { sql: 'p.entry', type: 'int' },
          { sql: 're.id', type: 'bigint' },
        ],
      },
    ],
  },
];
