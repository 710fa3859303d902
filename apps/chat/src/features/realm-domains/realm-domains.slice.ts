import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { RealmDomainsService } from './realm-domains.action.js';
import { RealmDomainsController } from './realm-domains.controller.js';
import { realmDomainEvents } from './realm-domains.events.js';
import { realmDomainSnapshotParts } from './realm-domains.snapshot.js';

/**
 * Feature module (slice) of realm domains. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const realmDomainsFeatureModule = defineFeatureModule('realm-domains', {
  controllers: [RealmDomainsController],
  providers: [RealmDomainsService],
  events: realmDomainEvents,
  snapshotParts: realmDomainSnapshotParts,
});
