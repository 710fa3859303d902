import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

/**
 * Event sent when the server was restarted with a new version (docs/contract/chat.md 3.4). A restart with an unchanged
 * version emits no event.
 */
export const restartEvent = defineEventType({
  name: 'restart',
  audience: 'All queues of all realms, once per change of the version or its feature level.',
  payload: z.strictObject({
    version: z.string(),
    mergeBase: z.string(),
    featureLevel: z.int(),
    /** Start time of the first server process with the new version, in UNIX seconds. */
    serverGeneration: z.int(),
  }),
}).addVariant({
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

/** List of all event types of the server version feature. */
export const serverVersionEvents = [restartEvent];
