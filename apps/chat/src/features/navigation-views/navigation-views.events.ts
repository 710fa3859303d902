import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { wireNavigationView } from './wire-navigation-view.js';

const audience = 'Only the user who has the navigation views.';
const change = z.strictObject({ name: z.string().optional(), is_pinned: z.boolean().optional() });

/** Changed fields of a view. */
export type ViewChange = z.infer<typeof change>;

/** A view was added (docs/contract/chat.md 3.4). */
export const viewAddEvent = defineEvent({
  name: 'navigation_view/add',
  audience,
  payload: z.strictObject({ navigation_view: wireNavigationView }),
}).as({
  type: 'navigation_view',
  op: 'add',
  fields: { navigation_view: wireNavigationView },
  render: (added) => added,
});

/** A view is pinned, hidden, or called otherwise. */
export const viewUpdateEvent = defineEvent({
  name: 'navigation_view/update',
  audience,
  payload: z.strictObject({ fragment: z.string(), data: change }),
}).as({
  type: 'navigation_view',
  op: 'update',
  fields: { fragment: z.string(), data: change },
  render: (updated) => updated,
});

/** A view left a menu. */
export const viewRemoveEvent = defineEvent({
  name: 'navigation_view/remove',
  audience,
  payload: z.strictObject({ fragment: z.string() }),
}).as({ type: 'navigation_view', op: 'remove', fields: { fragment: z.string() }, render: (removed) => removed });

/** The events of this module. */
export const navigationViewEvents = [viewAddEvent, viewUpdateEvent, viewRemoveEvent];
