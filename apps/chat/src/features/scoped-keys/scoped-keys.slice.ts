import { defineSlice } from '../../events/define-feature-slice.js';
import { ScopedKeysService } from './scoped-keys.action.js';
import { ScopedKeysController } from './scoped-keys.controller.js';

/** Feature module (slice) of API keys with scopes. The module declares endpoints. */
export const scopedKeysSlice = defineSlice('scoped-keys', {
  controllers: [ScopedKeysController],
  providers: [ScopedKeysService],
});
