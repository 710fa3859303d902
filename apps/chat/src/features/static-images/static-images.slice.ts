import { defineSlice } from '../../events/define-feature-slice.js';
import { StaticImagesController } from './static-images.controller.js';

/** Feature module (slice) of the images that the service itself provides. */
export const staticImagesSlice = defineSlice('static-images', { pageControllers: [StaticImagesController] });
