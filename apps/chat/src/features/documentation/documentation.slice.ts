import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DocumentationController } from './documentation.controller.js';

/** Feature module (slice) of documentation pages. */
export const documentationFeatureModule = defineFeatureModule('documentation', {
  pageControllers: [DocumentationController],
});
