import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { LinkifiersController } from './linkifiers.controller.js';
import { linkifierEvents } from './linkifiers.events.js';
import { linkifierSnapshotParts } from './linkifiers.snapshot.js';
import { LinkifiersService } from './linkifiers.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of linkifiers. */
export const linkifiersFeatureModule = defineFeatureModule('linkifiers', {
  controllers: [LinkifiersController],
  providers: [LinkifiersService],
  events: linkifierEvents,
  snapshotParts: linkifierSnapshotParts,
});
