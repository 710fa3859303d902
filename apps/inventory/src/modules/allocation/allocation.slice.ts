import { defineFeatureModule } from '../../http/define-slice.js';
import { createAllocationPaths } from './allocation-paths.js';
import { AllocationController } from './allocation.controller.js';

export const allocationFeatureModule = defineFeatureModule('allocation', {
  controllers: [AllocationController],
  methods: [
    {
      path: /^\/api\/ipam\/[a-z-]+\/[^/]+\/available-(ips|prefixes|asns|vlans)\/$/,
      methods: ['GET', 'HEAD', 'OPTIONS', 'POST'],
    },
  ],
  openApi: ({ registry }) => ({ paths: createAllocationPaths(registry) }),
});
