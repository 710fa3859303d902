import { z } from 'zod';
import { getDisplayedEmail } from '../../core/access/email-visibility.js';
import type { EventViewer } from '../../events/event-viewer.js';
import { defineEventType } from '../../events/define-event-type.js';
import { messagePersonRecordSchema, reactionRecordSchema } from '../../core/messages/index.js';

const reactionsEventAudience =
  'All users who received the message and, if the channel shares its history, its subscribers.';

const reactionsEventFields = {
  message_id: z.int(),
  ...reactionRecordSchema.shape,
  user: z
    .strictObject({ user_id: z.int(), email: z.string(), full_name: z.string() })
    .optional()
    .meta({ description: 'The user who reacted, for clients that do not know the account' }),
};

const reactionEventPayloadSchema = z.strictObject({
  message_id: z.int(),
  ...reactionRecordSchema.shape,
  /** Data of the user who added or removed the reaction. Absent in older entries of the event log. */
  person: messagePersonRecordSchema.optional(),
});

function renderReactionEvent(
  { person, ...reaction }: z.infer<typeof reactionEventPayloadSchema>,
  { viewer }: EventViewer,
) {
  if (person === undefined) return reaction;
  const user = { user_id: person.id, email: getDisplayedEmail(viewer, person), full_name: person.fullName };
  return { ...reaction, user };
}

/** Event sent when a user added a reaction to a message (docs/contract/chat.md 3.4). */
export const reactionAddEvent = defineEventType({
  name: 'reaction/add',
  webhookOrder: 'conversation',
  audience: reactionsEventAudience,
  payload: reactionEventPayloadSchema,
}).addVariant({
  type: 'reaction',
  op: 'add',
  fields: reactionsEventFields,
  render: renderReactionEvent,
});

/** Event sent when a user removed a reaction from a message. */
export const reactionRemoveEvent = defineEventType({
  name: 'reaction/remove',
  webhookOrder: 'conversation',
  audience: reactionsEventAudience,
  payload: reactionEventPayloadSchema,
}).addVariant({
  type: 'reaction',
  op: 'remove',
  fields: reactionsEventFields,
  render: renderReactionEvent,
});

/** List of all event types of the reaction feature. */
export const reactionEvents = [reactionAddEvent, reactionRemoveEvent];
