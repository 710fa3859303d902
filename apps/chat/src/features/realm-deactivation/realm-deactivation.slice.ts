import type { Provider } from '@nestjs/common';
import { RealmHosts } from '../../core/access/realm-hosts.js';
import { defineSlice } from '../../events/define-feature-slice.js';
import { DeactivateRealm } from './deactivate-realm.action.js';
import { RealmDeactivationController } from './realm-deactivation.controller.js';
import { realmDeactivationEvents } from './realm-deactivation.events.js';
import { realmDeactivationJobs, type RealmDeletionRuntime } from './realm-deactivation.jobs.js';

/** Feature module (slice) that deactivates an organization and later deletes the organization's data. */
export const realmDeactivationSlice = defineSlice('realm-deactivation', {
  controllers: [RealmDeactivationController],
  providers: ({ realmSites }: RealmDeletionRuntime & { readonly realmSites: RealmHosts }): Provider[] => [
    { provide: RealmHosts, useValue: realmSites },
    DeactivateRealm,
  ],
  events: realmDeactivationEvents,
  jobs: realmDeactivationJobs,
});
