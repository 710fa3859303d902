import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireSavedSnippet, wireSavedSnippetSchema } from './wire-saved-snippet.js';

/** SQL of the API's JSON form for a row of `saved_snippets s`. */
const savedSnippetJsonSql = `json_build_object('id', s.id, 'title', s.title, 'content', s.content,
  'date_created', floor(extract(epoch FROM s.date_created))::bigint)`;

const savedSnippetsSnapshotPart = defineSqlSnapshotPart({
  types: ['saved_snippets'],
  maintainedBy: ['saved_snippets'],
  shape: { saved_snippets: z.array(wireSavedSnippetSchema) },
  sql: `SELECT json_agg(${savedSnippetJsonSql} ORDER BY s.id) FROM saved_snippets s WHERE s.user_id = $2`,
  fields: (snippets: WireSavedSnippet[] | null) => ({ saved_snippets: snippets ?? [] }),
});

/** Snapshot part that lists the user's saved snippets: a field of the `POST /register` response. */
export const savedSnippetSnapshotParts = [savedSnippetsSnapshotPart];
