import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { CustomEmojiController } from './custom-emoji.controller.js';
import { customEmojiEvents } from './custom-emoji.events.js';
import { customEmojiSnapshotParts } from './custom-emoji.snapshot.js';
import { CustomEmojiService } from './custom-emoji.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of custom emoji. */
export const customEmojiFeatureModule = defineFeatureModule('custom-emoji', {
  controllers: [CustomEmojiController],
  providers: [CustomEmojiService],
  events: customEmojiEvents,
  snapshotParts: customEmojiSnapshotParts,
});
