import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { RealmImagesService } from './realm-images.action.js';
import { RealmImagesController } from './realm-images.controller.js';

/** Feature module (slice) of the icon and the logos of a realm. The module declares endpoints. */
export const realmImagesFeatureModule = defineFeatureModule('realm-images', {
  controllers: [RealmImagesController],
  providers: [RealmImagesService],
});
