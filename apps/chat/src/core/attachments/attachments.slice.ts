import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AttachmentsController } from './attachments.controller.js';
import { attachmentEventTypes } from './attachments.events.js';
import { createAttachmentJobs } from './attachments.jobs.js';

/** Feature module (slice) that provides the endpoints, events and jobs of uploaded files. */
export const attachmentsFeatureModule = defineFeatureModule('attachments', {
  controllers: [AttachmentsController],
  events: attachmentEventTypes,
  jobs: createAttachmentJobs,
});
