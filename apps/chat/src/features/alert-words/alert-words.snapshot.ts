import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';

const alertWordsSnapshotPart = defineSqlSnapshotPart({
  types: ['alert_words'],
  maintainedBy: ['alert_words'],
  shape: { alert_words: z.array(z.string()) },
  sql: `SELECT json_agg(aw.word ORDER BY aw.id) FROM alert_words aw WHERE aw.user_id = $2`,
  fields: (words: string[] | null) => ({ alert_words: words ?? [] }),
});

/** Parts of the POST /register response about alert words. */
export const alertWordSnapshotParts = [alertWordsSnapshotPart];
