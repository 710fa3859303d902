import { defineSlice } from '../../http/define-slice.js';
import { FrontPageController } from './front-page.controller.js';

export const frontPageSlice = defineSlice('front-page', {
  controllers: [FrontPageController],
});
