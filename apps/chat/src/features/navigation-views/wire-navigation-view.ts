import { z } from 'zod';

/** A navigation view on the wire (docs/contract/chat.md 2.A). */
export const wireNavigationView = z
  .strictObject({
    fragment: z.string(),
    is_pinned: z.boolean(),
    name: z.string().nullable().meta({ description: 'Null for views that are built into every client.' }),
  })
  .meta({ id: 'NavigationView' });

export type WireNavigationView = z.infer<typeof wireNavigationView>;

/** A row of `navigation_views v` as its wire form. */
export const navigationViewJson = `json_build_object('fragment', v.fragment, 'is_pinned', v.is_pinned, 'name', v.name)`;

/** The views that every client has, by their fragments; they have no names of their own (docs/contract/chat.md 2.D). */
export const builtInViews: ReadonlySet<string> = new Set([
  'inbox',
  'recent',
  'feed',
  'drafts',
  'reminders',
  'narrow/is/mentioned',
  'narrow/is/starred',
  'narrow/has/reaction/sender/me',
  'scheduled',
]);
