import { z } from 'zod';
import type { SavedSnippetModel } from '../../generated/prisma/models.js';

/** A saved snippet on the wire (docs/contract/chat.md 2.A). `date_created` is in UNIX seconds. */
export const wireSavedSnippet = z
  .strictObject({ id: z.int(), title: z.string(), content: z.string(), date_created: z.int() })
  .meta({ id: 'SavedSnippet' });

export type WireSavedSnippet = z.infer<typeof wireSavedSnippet>;

/** Columns that {@link toWireSnippet} needs. */
export const snippetColumns = { id: true, title: true, content: true, dateCreated: true } as const;

/** Returns the wire form of a row. */
export function toWireSnippet(row: Pick<SavedSnippetModel, keyof typeof snippetColumns>): WireSavedSnippet {
  const { id, title, content, dateCreated } = row;
  return { id, title, content, date_created: Math.floor(dateCreated.getTime() / 1000) };
}
