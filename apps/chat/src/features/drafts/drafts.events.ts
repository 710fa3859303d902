import { z } from 'zod';
import { defineEvent, dividePayloadByLists } from '../../events/define-event-type.js';
import { wireDraftSchema } from './wire-draft.js';

const draftsEventAudience = 'Only the author of the draft.';

/** Event that informs a user about new drafts (docs/contract/chat.md 3.4). */
export const draftsAddEvent = defineEvent({
  name: 'drafts/add',
  audience: draftsEventAudience,
  payload: z.strictObject({ drafts: z.array(wireDraftSchema) }),
  divide: dividePayloadByLists('drafts'),
}).withVariant({ type: 'drafts', op: 'add', fields: { drafts: z.array(wireDraftSchema) }, render: (added) => added });

/** Event that informs a user about a changed draft. */
export const draftsUpdateEvent = defineEvent({
  name: 'drafts/update',
  audience: draftsEventAudience,
  payload: z.strictObject({ draft: wireDraftSchema }),
}).withVariant({ type: 'drafts', op: 'update', fields: { draft: wireDraftSchema }, render: (updated) => updated });

/** Event that informs a user about deleted drafts. Clients receive one event per draft. */
export const draftsRemoveEvent = defineEvent({
  name: 'drafts/remove',
  audience: draftsEventAudience,
  payload: z.strictObject({ draftIds: z.array(z.int()) }),
  count: ({ draftIds }) => draftIds.length,
  divide: dividePayloadByLists('draftIds'),
}).withVariant({
  type: 'drafts',
  op: 'remove',
  fields: { draft_id: z.int() },
  render: ({ draftIds }) => draftIds.map((id) => ({ draft_id: id })),
});

/** All types of events about drafts. */
export const draftEvents = [draftsAddEvent, draftsUpdateEvent, draftsRemoveEvent];
