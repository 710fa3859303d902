import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { reactionRecord } from '../messages/index.js';

const audience = 'Everybody who received the message, and where history is shared the subscribers of its channel.';

const fields = { message_id: z.int(), ...reactionRecord.shape };

const payload = z.strictObject(fields);

/** An emoji was put under a message (chat-contract 3.4). */
export const reactionAddEvent = defineEvent({ name: 'reaction/add', audience, payload }).as({
  type: 'reaction',
  op: 'add',
  fields,
  render: (stored) => stored,
});

/** An emoji was taken from under a message. */
export const reactionRemoveEvent = defineEvent({ name: 'reaction/remove', audience, payload }).as({
  type: 'reaction',
  op: 'remove',
  fields,
  render: (stored) => stored,
});

/** The events of this module. */
export const reactionEvents = [reactionAddEvent, reactionRemoveEvent];
