import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';

const videoCallsPart = defineSqlSnapshotPart({
  types: ['video_calls'],
  shape: { has_zoom_token: z.boolean(), has_vcall_token: z.boolean() },
  sql: 'SELECT EXISTS (SELECT 1 FROM zoom_tokens WHERE user_id = $2)',
  fields: (hasToken: boolean) => ({ has_zoom_token: hasToken, has_vcall_token: hasToken }),
});

/** Snapshot part that states whether the user can create Zoom calls. */
export const videoCallSnapshotParts = [videoCallsPart];
