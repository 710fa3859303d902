import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MessageReaders } from './message-readers.js';

/** Feature module through which other modules read and lock messages. The module has no endpoints. */
export const messageAccessFeatureModule = defineFeatureModule('message-access', {
  providers: [MessageReaders],
});
