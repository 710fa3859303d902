import { defineSlice } from '../../events/define-feature-slice.js';
import { AttachmentsController } from './attachments.controller.js';
import { attachmentEvents } from './attachments.events.js';
import { attachmentJobs } from './attachments.jobs.js';

/** Feature module (slice) that provides the endpoints, events and jobs of uploaded files. */
export const attachmentsSlice = defineSlice('attachments', {
  controllers: [AttachmentsController],
  events: attachmentEvents,
  jobs: attachmentJobs,
});
