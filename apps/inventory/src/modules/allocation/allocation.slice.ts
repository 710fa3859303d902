import { defineSlice } from '../../http/define-slice.js';
import { allocationPaths } from './allocation-paths.js';
import { AllocationController } from './allocation.controller.js';

export const allocationSlice = defineSlice('allocation', {
  controllers: [AllocationController],
  methods: [
    {
      path: /^\/api\/ipam\/[a-z-]+\/[^/]+\/available-(ips|prefixes|asns|vlans)\/$/,
      methods: ['GET', 'HEAD', 'OPTIONS', 'POST'],
    },
  ],
  openApi: ({ registry }) => ({ paths: allocationPaths(registry) }),
});
