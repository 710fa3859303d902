import type { Provider } from '@nestjs/common';
import { RealmByHostCache } from '../../core/access/realm-hosts.js';
import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DeactivateRealm } from './deactivate-realm.action.js';
import { RealmDeactivationController } from './realm-deactivation.controller.js';
import { realmDeactivationEvents } from './realm-deactivation.events.js';
import { createRealmDeactivationJobs, type RealmDeletionJobDependencies } from './realm-deactivation.jobs.js';

/** Feature module (slice) that deactivates an organization and later deletes the organization's data. */
export const realmDeactivationFeatureModule = defineFeatureModule('realm-deactivation', {
  controllers: [RealmDeactivationController],
  providers: ({ realmSites }: RealmDeletionJobDependencies & { readonly realmSites: RealmByHostCache }): Provider[] => [
    { provide: RealmByHostCache, useValue: realmSites },
    DeactivateRealm,
  ],
  events: realmDeactivationEvents,
  jobs: createRealmDeactivationJobs,
});
