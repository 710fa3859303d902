import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireSavedSnippetSchema } from './wire-saved-snippet.js';

const savedSnippetEventAudience = 'Only the user who owns the snippet.';
const savedSnippetEventFields = { saved_snippet: wireSavedSnippetSchema };

/** Event sent when a saved snippet was added (docs/contract/chat.md 3.4). */
export const snippetAddEvent = defineEventType({
  name: 'saved_snippets/add',
  audience: savedSnippetEventAudience,
  payload: z.strictObject(savedSnippetEventFields),
}).addVariant({ type: 'saved_snippets', op: 'add', fields: savedSnippetEventFields, render: (added) => added });

/** Event sent when a saved snippet was changed. */
export const snippetUpdateEvent = defineEventType({
  name: 'saved_snippets/update',
  audience: savedSnippetEventAudience,
  payload: z.strictObject(savedSnippetEventFields),
}).addVariant({ type: 'saved_snippets', op: 'update', fields: savedSnippetEventFields, render: (updated) => updated });

/** Event sent when a saved snippet was deleted. */
export const snippetRemoveEvent = defineEventType({
  name: 'saved_snippets/remove',
  audience: savedSnippetEventAudience,
  payload: z.strictObject({ saved_snippet_id: z.int() }),
}).addVariant({
  type: 'saved_snippets',
  op: 'remove',
  fields: { saved_snippet_id: z.int() },
  render: (removed) => removed,
});

/** List of all event types of the saved snippet feature. */
export const savedSnippetEvents = [snippetAddEvent, snippetUpdateEvent, snippetRemoveEvent];
