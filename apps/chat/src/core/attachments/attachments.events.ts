import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireAttachmentSchema } from './wire-attachment.js';

const attachmentEventAudienceDescription = 'The owner of the file.';

const changedAttachmentFields = {
  attachment: wireAttachmentSchema,
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
};
const changedAttachmentPayload = z.strictObject(changedAttachmentFields);

/** Event that informs a file's owner about the newly uploaded file (docs/contract/chat.md 3.4). */
export const attachmentAddEvent = defineEventType({
  name: 'attachment/add',
  audience: attachmentEventAudienceDescription,
  payload: changedAttachmentPayload,
}).addVariant({
  type: 'attachment',
  op: 'add',
  fields: changedAttachmentFields,
  render: (stored) => stored,
});

/** Event that informs a file's owner about a change of the messages that link to the file. */
export const attachmentUpdateEvent = defineEventType({
  name: 'attachment/update',
  audience: attachmentEventAudienceDescription,
  payload: changedAttachmentPayload,
}).addVariant({
  type: 'attachment',
  op: 'update',
  fields: changedAttachmentFields,
  render: (stored) => stored,
});

const removedAttachmentFields = { attachment: z.strictObject({ id: z.int() }), upload_space_used: z.int() };

/** Event that informs a file's owner that the uploaded file was deleted. */
export const attachmentRemoveEvent = defineEventType({
  name: 'attachment/remove',
  audience: attachmentEventAudienceDescription,
  payload: z.strictObject(removedAttachmentFields),
}).addVariant({
  type: 'attachment',
  op: 'remove',
  fields: removedAttachmentFields,
  render: (stored) => stored,
});

export const attachmentEventTypes = [attachmentAddEvent, attachmentUpdateEvent, attachmentRemoveEvent];
