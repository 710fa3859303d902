import { defineSlice } from '../../events/define-feature-slice.js';
import { StaticImagesController } from './static-images.controller.js';

/** Feature module (slice) that declares the endpoint for images that the service itself provides. */
export const staticImagesSlice = defineSlice('static-images', { pageControllers: [StaticImagesController] });
