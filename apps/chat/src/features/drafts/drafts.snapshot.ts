import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';
import { draftJson, type WireDraft, wireDraft } from './wire-draft.js';

const draftsPart = defineSqlSnapshotPart({
  types: ['drafts'],
  shape: { drafts: z.array(wireDraft) },
  sql: `SELECT json_agg(${draftJson} ORDER BY d.last_edited_at, d.id) FROM drafts d WHERE d.user_id = $2`,
  fields: (drafts: WireDraft[] | null) => ({ drafts: drafts ?? [] }),
});

/** Snapshot part of all drafts, in the order of GET /drafts. */
export const draftSnapshotParts = [draftsPart];
