import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DevelopmentMailsController } from './development-mails.controller.js';

/** Feature module (slice) that shows emails in development mode. */
export const developmentMailsFeatureModule = defineFeatureModule('development-mails', {
  developmentControllers: [DevelopmentMailsController],
});
