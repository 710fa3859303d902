import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { wireAttachment } from './wire-attachment.js';

const audience = 'The owner of the file.';

const fields = {
  attachment: wireAttachment,
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
};
const payload = z.strictObject(fields);

/** Event of a newly uploaded file, for its owner (docs/contract/chat.md 3.4). */
export const attachmentAddEvent = defineEvent({ name: 'attachment/add', audience, payload }).as({
  type: 'attachment',
  op: 'add',
  fields,
  render: (stored) => stored,
});

/** Event of an uploaded file that other messages link now, for its owner. */
export const attachmentUpdateEvent = defineEvent({ name: 'attachment/update', audience, payload }).as({
  type: 'attachment',
  op: 'update',
  fields,
  render: (stored) => stored,
});

const removed = { attachment: z.strictObject({ id: z.int() }), upload_space_used: z.int() };

/** Event of a deleted uploaded file, for its owner. */
export const attachmentRemoveEvent = defineEvent({
  name: 'attachment/remove',
  audience,
  payload: z.strictObject(removed),
}).as({
  type: 'attachment',
  op: 'remove',
  fields: removed,
  render: (stored) => stored,
});

/** All events of uploaded files. */
export const attachmentEvents = [attachmentAddEvent, attachmentUpdateEvent, attachmentRemoveEvent];
