import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { CheckSubdomain } from './check-subdomain.query.js';
import { EmojiDataController } from './emoji-data.controller.js';
import { GetServerSettings } from './get-server-settings.query.js';
import { RealmSettingsController } from './realm-settings.controller.js';
import { realmSnapshotParts } from './realm.snapshot.js';
import { RealmsController } from './realms.controller.js';
import { realmEventTypes } from './realms.events.js';
import { UpdateRealm } from './update-realm.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of realms. */
export const realmsFeatureModule = defineFeatureModule('realms', {
  controllers: [EmojiDataController, RealmsController, RealmSettingsController],
  providers: [CheckSubdomain, GetServerSettings, UpdateRealm],
  events: realmEventTypes,
  snapshotParts: realmSnapshotParts,
});
