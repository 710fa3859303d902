import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AvatarsController } from './avatars.controller.js';
import { AvatarService } from './avatars.action.js';
import { PublicPicturesController } from './public-pictures.controller.js';
import { FindAvatarUrl } from './read-avatars.query.js';

/** Feature module (slice) that provides the endpoints of avatars. */
export const avatarsFeatureModule = defineFeatureModule('avatars', {
  controllers: [AvatarsController, PublicPicturesController],
  providers: [AvatarService, FindAvatarUrl],
});
