import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireNavigationViewSchema } from './wire-navigation-view.js';

const navigationViewsEventAudience = 'Only the user who has the navigation views.';
const navigationViewChangeSchema = z.strictObject({ name: z.string().optional(), is_pinned: z.boolean().optional() });

/** Changed fields of a navigation view. */
export type NavigationViewChange = z.infer<typeof navigationViewChangeSchema>;

/** Event sent when a navigation view was added (docs/contract/chat.md 3.4). */
export const viewAddEvent = defineEventType({
  name: 'navigation_view/add',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ navigation_view: wireNavigationViewSchema }),
}).addVariant({
  type: 'navigation_view',
  op: 'add',
  fields: { navigation_view: wireNavigationViewSchema },
  render: (added) => added,
});

/** Event sent when a navigation view was pinned, unpinned or renamed. */
export const viewUpdateEvent = defineEventType({
  name: 'navigation_view/update',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ fragment: z.string(), data: navigationViewChangeSchema }),
}).addVariant({
  type: 'navigation_view',
  op: 'update',
  fields: { fragment: z.string(), data: navigationViewChangeSchema },
  render: (updated) => updated,
});

/** Event sent when a navigation view was removed. */
export const viewRemoveEvent = defineEventType({
  name: 'navigation_view/remove',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ fragment: z.string() }),
}).addVariant({
  type: 'navigation_view',
  op: 'remove',
  fields: { fragment: z.string() },
  render: (removed) => removed,
});

/** List of all event types of the navigation view feature. */
export const navigationViewEvents = [viewAddEvent, viewUpdateEvent, viewRemoveEvent];
