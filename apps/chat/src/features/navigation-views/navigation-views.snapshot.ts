import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireNavigationView, wireNavigationViewSchema } from './wire-navigation-view.js';

/** SQL of the API's JSON form for a row of `navigation_views v`. */
const navigationViewJsonSql = `json_build_object('fragment', v.fragment, 'is_pinned', v.is_pinned, 'name', v.name)`;

const navigationViewsSnapshotPart = defineSqlSnapshotPart({
  types: ['navigation_views'],
  maintainedBy: ['navigation_view'],
  shape: { navigation_views: z.array(wireNavigationViewSchema) },
  sql: `SELECT json_agg(${navigationViewJsonSql} ORDER BY v.id) FROM navigation_views v WHERE v.user_id = $2`,
  fields: (views: WireNavigationView[] | null) => ({ navigation_views: views ?? [] }),
});

/** Snapshot part that lists the user's navigation views: a field of the `POST /register` response. */
export const navigationViewSnapshotParts = [navigationViewsSnapshotPart];
