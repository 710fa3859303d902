import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';
import { wireAttachment } from './wire-attachment.js';

const attachmentsEventAudience = 'The owner of the file.';

const attachmentsEventFields = {
  attachment: wireAttachment,
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
};
const attachmentsEventPayload = z.strictObject(attachmentsEventFields);

/** Event of a newly uploaded file, for its owner (docs/contract/chat.md 3.4). */
export const attachmentAddEvent = defineEvent({
  name: 'attachment/add',
  audience: attachmentsEventAudience,
  payload: attachmentsEventPayload,
}).as({
  type: 'attachment',
  op: 'add',
  fields: attachmentsEventFields,
  render: (stored) => stored,
});

/** Event of an uploaded file that other messages link now, for its owner. */
export const attachmentUpdateEvent = defineEvent({
  name: 'attachment/update',
  audience: attachmentsEventAudience,
  payload: attachmentsEventPayload,
}).as({
  type: 'attachment',
  op: 'update',
  fields: attachmentsEventFields,
  render: (stored) => stored,
});

const attachmentsEventRemoved = { attachment: z.strictObject({ id: z.int() }), upload_space_used: z.int() };

/** Event of a deleted uploaded file, for its owner. */
export const attachmentRemoveEvent = defineEvent({
  name: 'attachment/remove',
  audience: attachmentsEventAudience,
  payload: z.strictObject(attachmentsEventRemoved),
}).as({
  type: 'attachment',
  op: 'remove',
  fields: attachmentsEventRemoved,
  render: (stored) => stored,
});

/** All events of uploaded files. */
export const attachmentEvents = [attachmentAddEvent, attachmentUpdateEvent, attachmentRemoveEvent];
