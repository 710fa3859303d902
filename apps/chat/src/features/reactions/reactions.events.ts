import { z } from 'zod';
import { displayEmail } from '../../core/access/email-visibility.js';
import type { EventReader } from '../../events/event-reader.js';
import { defineEvent } from '../../events/event-type.js';
import { personRecord, reactionRecord } from '../../core/messages/index.js';

const audience = 'All users who received the message and, if the channel shares its history, its subscribers.';

const fields = {
  message_id: z.int(),
  ...reactionRecord.shape,
  user: z
    .strictObject({ user_id: z.int(), email: z.string(), full_name: z.string() })
    .optional()
    .meta({ description: 'The user who reacted, for clients that do not know the account' }),
};

const payload = z.strictObject({
  message_id: z.int(),
  ...reactionRecord.shape,
  /** Absent from entries of versions before this key. */
  person: personRecord.optional(),
});

function render({ person, ...reaction }: z.infer<typeof payload>, { viewer }: EventReader) {
  if (person === undefined) return reaction;
  const user = { user_id: person.id, email: displayEmail(viewer, person), full_name: person.fullName };
  return { ...reaction, user };
}

/** A reaction was added to a message (docs/contract/chat.md 3.4). */
export const reactionAddEvent = defineEvent({ name: 'reaction/add', audience, payload }).as({
  type: 'reaction',
  op: 'add',
  fields,
  render,
});

/** A reaction was removed from a message. */
export const reactionRemoveEvent = defineEvent({ name: 'reaction/remove', audience, payload }).as({
  type: 'reaction',
  op: 'remove',
  fields,
  render,
});

/** The events of this module. */
export const reactionEvents = [reactionAddEvent, reactionRemoveEvent];
