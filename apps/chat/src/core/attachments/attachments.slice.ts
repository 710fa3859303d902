import { defineSlice } from '../../events/define-slice.js';
import { AttachmentsController } from './attachments.controller.js';
import { attachmentEvents } from './attachments.events.js';
import { attachmentJobs } from './attachments.jobs.js';

/** The slice of uploaded files: endpoints, events and jobs. */
export const attachmentsSlice = defineSlice('attachments', {
  controllers: [AttachmentsController],
  events: attachmentEvents,
  jobs: attachmentJobs,
});
