import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { StaticImagesController } from './static-images.controller.js';

/** Feature module (slice) that declares the endpoint for images that the service itself provides. */
export const staticImagesFeatureModule = defineFeatureModule('static-images', {
  pageControllers: [StaticImagesController],
});
