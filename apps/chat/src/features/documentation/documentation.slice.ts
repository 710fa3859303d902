import { defineSlice } from '../../events/define-feature-slice.js';
import { DocumentationController } from './documentation.controller.js';

/** Feature module (slice) of documentation pages. */
export const documentationSlice = defineSlice('documentation', {
  pageControllers: [DocumentationController],
});
