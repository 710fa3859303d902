import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { readDraftsAsJson } from './drafts.repository.js';
import { wireDraftSchema } from './wire-draft.js';

const draftsSnapshotPart = defineSqlSnapshotPart({
  types: ['drafts'],
  maintainedBy: ['drafts'],
  shape: { drafts: z.array(wireDraftSchema) },
  // Users without drafts cost no further statement.
  sql: 'SELECT EXISTS (SELECT FROM drafts d WHERE d.user_id = $2)',
  async fields(hasDrafts: boolean, { tx, actor }) {
    return { drafts: hasDrafts ? (await readDraftsAsJson(tx, actor.id)).drafts : [] };
  },
});

/** Part of the POST /register response with all drafts of the registering user, in the order of GET /drafts. */
export const draftSnapshotParts = [draftsSnapshotPart];
