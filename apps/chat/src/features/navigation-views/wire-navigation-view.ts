import { z } from 'zod';
import type { NavigationViewModel } from '../../generated/prisma/models.js';

/** Schema of a navigation view in the API (docs/contract/chat.md 2.A). */
export const wireNavigationViewSchema = z
  .strictObject({
    fragment: z.string(),
    is_pinned: z.boolean(),
    name: z.string().nullable().meta({ description: 'Null for views that are built into every client.' }),
  })
  .meta({ id: 'NavigationView' });

export type WireNavigationView = z.infer<typeof wireNavigationViewSchema>;

/** Columns of a navigation view that {@link toWireNavigationView} reads. */
export const navigationViewColumns = { fragment: true, isPinned: true, name: true } as const;

/** Returns a navigation view in the format of the API. */
export function toWireNavigationView(
  row: Pick<NavigationViewModel, keyof typeof navigationViewColumns>,
): WireNavigationView {
  return { fragment: row.fragment, is_pinned: row.isPinned, name: row.name };
}

/**
 * URL fragments of the views that are built into every client. The server stores no names for built-in views
 * (docs/contract/chat.md 2.D).
 */
export const builtInNavigationViews: ReadonlySet<string> = new Set([
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
