import { z } from 'zod';
import type { OAuthProviderKey } from '../../infra/video/index.js';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';

const videoCallsSnapshotPart = defineSqlSnapshotPart({
  types: ['video_calls'],
  shape: { has_zoom_token: z.boolean(), has_vcall_token: z.boolean(), has_webex_token: z.boolean() },
  sql: 'SELECT json_agg(provider) FROM video_call_tokens WHERE user_id = $2',
  fields: (providers: OAuthProviderKey[] | null) => {
    const hasZoom = providers?.includes('zoom') ?? false;
    const hasWebex = providers?.includes('webex') ?? false;
    return { has_zoom_token: hasZoom, has_vcall_token: hasZoom, has_webex_token: hasWebex };
  },
});

/**
 * Snapshot part with fields of the `POST /register` response. They state at which video-call providers the user has
 * connected an account.
 */
export const videoCallSnapshotParts = [videoCallsSnapshotPart];
