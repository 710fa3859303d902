import { defineSlice } from '../../events/define-slice.js';
import { DevelopmentMailsController } from './development-mails.controller.js';

/** The slice of development mails. */
export const developmentMailsSlice = defineSlice('development-mails', {
  developmentControllers: [DevelopmentMailsController],
});
