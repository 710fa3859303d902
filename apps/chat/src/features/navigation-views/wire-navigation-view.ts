import { z } from 'zod';
import type { NavigationViewModel } from '../../generated/prisma/models.js';

/** A navigation view on the wire (docs/contract/chat.md 2.A). */
export const wireNavigationView = z
  .strictObject({
    fragment: z.string(),
    is_pinned: z.boolean(),
    name: z.string().nullable().meta({ description: 'Null for views that are built into every client.' }),
  })
  .meta({ id: 'NavigationView' });

export type WireNavigationView = z.infer<typeof wireNavigationView>;

/** Columns that {@link toWireView} needs. */
export const viewColumns = { fragment: true, isPinned: true, name: true } as const;

/** Returns the wire form of a row. */
export function toWireView(row: Pick<NavigationViewModel, keyof typeof viewColumns>): WireNavigationView {
  return { fragment: row.fragment, is_pinned: row.isPinned, name: row.name };
}

/** Fragments of the views that are built into every client. They have no stored names (docs/contract/chat.md 2.D). */
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
