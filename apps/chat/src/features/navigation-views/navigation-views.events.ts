import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { wireNavigationViewSchema } from './wire-navigation-view.js';

const navigationViewsEventAudience = 'Only the user who has the navigation views.';
const navigationViewsEventChange = z.strictObject({ name: z.string().optional(), is_pinned: z.boolean().optional() });

/** Changed fields of a navigation view. */
export type NavigationViewChange = z.infer<typeof navigationViewsEventChange>;

/** Event of an added navigation view (docs/contract/chat.md 3.4). */
export const viewAddEvent = defineEvent({
  name: 'navigation_view/add',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ navigation_view: wireNavigationViewSchema }),
}).withVariant({
  type: 'navigation_view',
  op: 'add',
  fields: { navigation_view: wireNavigationViewSchema },
  render: (added) => added,
});

/** Event of a navigation view that was pinned, unpinned or renamed. */
export const viewUpdateEvent = defineEvent({
  name: 'navigation_view/update',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ fragment: z.string(), data: navigationViewsEventChange }),
}).withVariant({
  type: 'navigation_view',
  op: 'update',
  fields: { fragment: z.string(), data: navigationViewsEventChange },
  render: (updated) => updated,
});

/** Event of a removed navigation view. */
export const viewRemoveEvent = defineEvent({
  name: 'navigation_view/remove',
  audience: navigationViewsEventAudience,
  payload: z.strictObject({ fragment: z.string() }),
}).withVariant({
  type: 'navigation_view',
  op: 'remove',
  fields: { fragment: z.string() },
  render: (removed) => removed,
});

/** All navigation view events. */
export const navigationViewEvents = [viewAddEvent, viewUpdateEvent, viewRemoveEvent];
