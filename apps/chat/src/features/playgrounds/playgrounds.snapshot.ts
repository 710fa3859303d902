import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WirePlayground, wirePlaygroundSchema } from './wire-playground.js';

const playgroundsSnapshotPart = defineSqlSnapshotPart({
  types: ['realm_playgrounds'],
  shape: { realm_playgrounds: z.array(wirePlaygroundSchema) },
  sql: `SELECT json_agg(json_build_object('id', p.id, 'name', p.name, 'pygments_language', p.pygments_language,
      'url_template', p.url_template) ORDER BY p.id)
    FROM realm_playgrounds p WHERE p.realm_id = $1`,
  fields: (playgrounds: WirePlayground[] | null) => ({ realm_playgrounds: playgrounds ?? [] }),
});

/** Snapshot part that lists the realm's code playgrounds: a field of the `POST /register` response. */
export const playgroundSnapshotParts = [playgroundsSnapshotPart];
