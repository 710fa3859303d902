import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ScopedApiKeysService } from './scoped-keys.action.js';
import { ScopedApiKeysController } from './scoped-keys.controller.js';

/** Feature module (slice) of API keys with scopes. The module declares endpoints. */
export const scopedKeysFeatureModule = defineFeatureModule('scoped-keys', {
  controllers: [ScopedApiKeysController],
  providers: [ScopedApiKeysService],
});
