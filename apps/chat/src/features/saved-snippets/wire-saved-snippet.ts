import { z } from 'zod';

/** A saved snippet on the wire (docs/contract/chat.md 2.A). `date_created` is in UNIX seconds. */
export const wireSavedSnippet = z
  .strictObject({ id: z.int(), title: z.string(), content: z.string(), date_created: z.int() })
  .meta({ id: 'SavedSnippet' });

export type WireSavedSnippet = z.infer<typeof wireSavedSnippet>;

/** A row of `saved_snippets s` as its wire form. */
export const savedSnippetJson = `json_build_object('id', s.id, 'title', s.title, 'content', s.content,
  'date_created', floor(extract(epoch FROM s.date_created))::bigint)`;
