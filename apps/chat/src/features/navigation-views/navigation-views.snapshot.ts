import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';
import { navigationViewJson, type WireNavigationView, wireNavigationView } from './wire-navigation-view.js';

const viewsPart = defineSqlSnapshotPart({
  types: ['navigation_views'],
  shape: { navigation_views: z.array(wireNavigationView) },
  sql: `SELECT json_agg(${navigationViewJson} ORDER BY v.id) FROM navigation_views v WHERE v.user_id = $2`,
  fields: (views: WireNavigationView[] | null) => ({ navigation_views: views ?? [] }),
});

/** Parts of the snapshot. */
export const navigationViewSnapshotParts = [viewsPart];
