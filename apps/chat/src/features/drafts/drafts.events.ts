import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { wireDraftSchema } from './wire-draft.js';

const draftsEventAudience = 'Only the author of the draft.';

/** Event that informs a user about new drafts (docs/contract/chat.md 3.4). */
export const draftsAddEvent = defineEventType({
  name: 'drafts/add',
  audience: draftsEventAudience,
  payload: z.strictObject({ drafts: z.array(wireDraftSchema) }),
  divide: createPayloadDividerByLists('drafts'),
}).addVariant({ type: 'drafts', op: 'add', fields: { drafts: z.array(wireDraftSchema) }, render: (added) => added });

/** Event that informs a user about a changed draft. */
export const draftsUpdateEvent = defineEventType({
  name: 'drafts/update',
  audience: draftsEventAudience,
  payload: z.strictObject({ draft: wireDraftSchema }),
}).addVariant({ type: 'drafts', op: 'update', fields: { draft: wireDraftSchema }, render: (updated) => updated });

/** Event that informs a user about deleted drafts. Clients receive one event per draft. */
export const draftsRemoveEvent = defineEventType({
  name: 'drafts/remove',
  audience: draftsEventAudience,
  payload: z.strictObject({ draftIds: z.array(z.int()) }),
  count: ({ draftIds }) => draftIds.length,
  divide: createPayloadDividerByLists('draftIds'),
}).addVariant({
  type: 'drafts',
  op: 'remove',
  fields: { draft_id: z.int() },
  render: ({ draftIds }) => draftIds.map((id) => ({ draft_id: id })),
});

export const draftEvents = [draftsAddEvent, draftsUpdateEvent, draftsRemoveEvent];
