import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { EmailViewer } from '../../core/access/email-visibility.js';
import { isSpectator } from '../../core/access/spectator-actor.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import { getSnapshotHiddenUsers, createViewerWithSameAddresses } from '../../core/users/index.js';
import { listAllPresences } from './presence.repository.js';
import {
  toPresenceEntry,
  presenceMapSchema,
  type PresenceListFormat,
  type PresenceRecord,
} from './presence-formats.js';

/** Number of presences that are converted to JSON before the event loop may run other work. */
const PRESENCES_CONVERTED_BEFORE_PAUSE = 2_000;

const presenceSnapshotPart = defineSnapshotPart({
  types: ['presence'],
  shape: { presences: presenceMapSchema, presence_last_update_id: z.int(), server_timestamp: z.number() },
  async read(context) {
    const { actor, parts, nowMs } = context;
    const { realmId } = actor;
    const all = await parts.once(`presences ${realmId}`, (tx) => listAllPresences(tx, realmId));
    const rest = { presence_last_update_id: all.lastId, server_timestamp: nowMs / 1000 };
    if (isSpectator(actor)) return { presences: {}, ...rest };
    const hidden = await getSnapshotHiddenUsers(context);
    const rows = await readPresencesAsJson(context, all.presences);
    return {
      presences: rows.toJsonObject({
        ...(hidden.size === 0 ? {} : { shows: (id: number) => !hidden.has(id) }),
        replaced: getOwnLegacyPresence(context, all.presences),
      }),
      ...rest,
    };
  },
});

/** Snapshot part of the presences of all users: fields of the `POST /register` response. */
export const presenceSnapshotParts = [presenceSnapshotPart];

/**
 * Returns the requested presences as members of a JSON object. `POST /register` requests that are processed in one
 * transaction share the result if their users see equal data.
 */
function readPresencesAsJson({ actor, parts, form, nowMs }: SnapshotContext, presences: readonly PresenceRecord[]) {
  const days = form.presence_history_limit_days;
  const since = nowMs / 1000 - days * 86_400;
  const viewer = createViewerWithSameAddresses(actor);
  const key = JSON.stringify(['presences', actor.realmId, days, form.slim_presence || viewer]);
  return parts.once(key, () => {
    const requested = presences.filter(({ connected }) => connected >= since);
    return toPresencesJson(requested, viewer, { byId: form.slim_presence });
  });
}

async function toPresencesJson(
  presences: readonly PresenceRecord[],
  viewer: EmailViewer,
  form: PresenceListFormat,
): Promise<IndexedJsonRows> {
  const rows = new JsonRowsBuilder();
  for (let at = 0; at < presences.length; at += PRESENCES_CONVERTED_BEFORE_PAUSE) {
    const slice = presences.slice(at, at + PRESENCES_CONVERTED_BEFORE_PAUSE);
    rows.appendRows(slice.map((presence) => ({ id: presence.id, json: toPresenceMemberJson(presence, viewer, form) })));
    await nextTurn();
  }
  return rows.buildIndexedRows();
}

function toPresenceMemberJson(presence: PresenceRecord, viewer: EmailViewer, form: PresenceListFormat): string {
  const [key, value] = toPresenceEntry(presence, viewer, form);
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}

/**
 * Returns the registering user's own presence in the older format. The key of the entry is the user's real email
 * address.
 */
function getOwnLegacyPresence(
  { actor, form }: SnapshotContext,
  presences: readonly PresenceRecord[],
): Map<number, string> {
  const own = form.slim_presence ? undefined : presences.find(({ id }) => id === actor.id);
  return new Map(own && [[own.id, toPresenceMemberJson(own, actor, { byId: false })]]);
}
