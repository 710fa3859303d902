import { z } from 'zod';
import type { SavedSnippetModel } from '../../generated/prisma/models.js';

/** Schema of a saved snippet in the API (docs/contract/chat.md 2.A). `date_created` is in UNIX seconds. */
export const wireSavedSnippetSchema = z
  .strictObject({ id: z.int(), title: z.string(), content: z.string(), date_created: z.int() })
  .meta({ id: 'SavedSnippet' });

export type WireSavedSnippet = z.infer<typeof wireSavedSnippetSchema>;

/** Columns of a saved snippet that {@link toWireSnippet} reads. */
export const snippetColumns = { id: true, title: true, content: true, dateCreated: true } as const;

/** Returns a saved snippet in the format of the API. */
export function toWireSnippet(row: Pick<SavedSnippetModel, keyof typeof snippetColumns>): WireSavedSnippet {
  const { id, title, content, dateCreated } = row;
  return { id, title, content, date_created: Math.floor(dateCreated.getTime() / 1000) };
}
