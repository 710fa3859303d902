import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { wireAttachmentSchema } from './wire-attachment.js';

const attachmentAudience = 'The owner of the file.';

const changedAttachmentFields = {
  attachment: wireAttachmentSchema,
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
};
const changedAttachmentPayload = z.strictObject(changedAttachmentFields);

/** Event that informs a file's owner about the newly uploaded file (docs/contract/chat.md 3.4). */
export const attachmentAddEvent = defineEvent({
  name: 'attachment/add',
  audience: attachmentAudience,
  payload: changedAttachmentPayload,
}).withVariant({
  type: 'attachment',
  op: 'add',
  fields: changedAttachmentFields,
  render: (stored) => stored,
});

/** Event that informs a file's owner that the set of messages with links to the file has changed. */
export const attachmentUpdateEvent = defineEvent({
  name: 'attachment/update',
  audience: attachmentAudience,
  payload: changedAttachmentPayload,
}).withVariant({
  type: 'attachment',
  op: 'update',
  fields: changedAttachmentFields,
  render: (stored) => stored,
});

const removedAttachmentFields = { attachment: z.strictObject({ id: z.int() }), upload_space_used: z.int() };

/** Event that informs a file's owner that the uploaded file was deleted. */
export const attachmentRemoveEvent = defineEvent({
  name: 'attachment/remove',
  audience: attachmentAudience,
  payload: z.strictObject(removedAttachmentFields),
}).withVariant({
  type: 'attachment',
  op: 'remove',
  fields: removedAttachmentFields,
  render: (stored) => stored,
});

/** All types of events about uploaded files. */
export const attachmentEvents = [attachmentAddEvent, attachmentUpdateEvent, attachmentRemoveEvent];
