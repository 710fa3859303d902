import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { wireSavedSnippetSchema } from './wire-saved-snippet.js';

const snippetAudience = 'Only the user who owns the snippet.';
const snippetFields = { saved_snippet: wireSavedSnippetSchema };

/** Event sent when a saved snippet was added (docs/contract/chat.md 3.4). */
export const snippetAddEvent = defineEvent({
  name: 'saved_snippets/add',
  audience: snippetAudience,
  payload: z.strictObject(snippetFields),
}).withVariant({ type: 'saved_snippets', op: 'add', fields: snippetFields, render: (added) => added });

/** Event sent when a saved snippet was changed. */
export const snippetUpdateEvent = defineEvent({
  name: 'saved_snippets/update',
  audience: snippetAudience,
  payload: z.strictObject(snippetFields),
}).withVariant({ type: 'saved_snippets', op: 'update', fields: snippetFields, render: (updated) => updated });

/** Event sent when a saved snippet was deleted. */
export const snippetRemoveEvent = defineEvent({
  name: 'saved_snippets/remove',
  audience: snippetAudience,
  payload: z.strictObject({ saved_snippet_id: z.int() }),
}).withVariant({
  type: 'saved_snippets',
  op: 'remove',
  fields: { saved_snippet_id: z.int() },
  render: (removed) => removed,
});

/** List of all event types of the saved snippet feature. */
export const savedSnippetEvents = [snippetAddEvent, snippetUpdateEvent, snippetRemoveEvent];
