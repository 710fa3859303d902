import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';

/** Event of a new server version (docs/contract/chat.md 3.4). A restart of the same version emits no event. */
export const restartEvent = defineEvent({
  name: 'restart',
  audience: 'All queues of all realms, once per change of the version or its feature level.',
  payload: z.strictObject({
    version: z.string(),
    mergeBase: z.string(),
    featureLevel: z.int(),
    /** Start time of the first process with the new version, in UNIX seconds. */
    serverGeneration: z.int(),
  }),
}).withVariant({
  type: 'restart',
  fields: {
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
    server_generation: z.int(),
  },
  render: ({ version, mergeBase, featureLevel, serverGeneration }) => ({
    zulip_version: version,
    zulip_merge_base: mergeBase,
    zulip_feature_level: featureLevel,
    server_generation: serverGeneration,
  }),
});

/** All server version events. */
export const serverVersionEvents = [restartEvent];
