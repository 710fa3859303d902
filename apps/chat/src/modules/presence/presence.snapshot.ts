import { z } from 'zod';
import { isSpectator } from '../../access/spectator.js';
import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';
import { snapshotHiddenUsers } from '../users/index.js';
import { presenceJson } from './presence.repository.js';
import { presenceMap, type PresenceRecord, toPresenceMap } from './presence-record.js';

interface Shown {
  readonly presences: readonly PresenceRecord[] | null;
  readonly lastId: number;
}

const presencePart = defineSqlSnapshotPart({
  types: ['presence'],
  shape: { presences: presenceMap, presence_last_update_id: z.int(), server_timestamp: z.number() },
  sql: presenceJson,
  async fields({ presences, lastId }: Shown, context) {
    const { actor, form, nowMs } = context;
    const since = nowMs / 1000 - form.presence_history_limit_days * 86_400;
    const hidden = await snapshotHiddenUsers(context);
    const seen = isSpectator(actor)
      ? []
      : (presences ?? []).filter(({ id, connected }) => !hidden.has(id) && connected >= since);
    return {
      presences: toPresenceMap(seen, actor, { byId: form.slim_presence }),
      presence_last_update_id: lastId,
      server_timestamp: nowMs / 1000,
    };
  },
});

/** What this module tells in a snapshot. */
export const presenceSnapshotParts = [presencePart];
