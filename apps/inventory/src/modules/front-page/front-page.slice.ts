import { defineFeatureModule } from '../../http/define-slice.js';
import { FrontPageController } from './front-page.controller.js';

export const frontPageFeatureModule = defineFeatureModule('front-page', {
  controllers: [FrontPageController],
});
