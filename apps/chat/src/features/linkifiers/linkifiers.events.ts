import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireLinkifierSchema } from './wire-linkifier.js';

/**
 * Event that informs users about changed linkifiers. Contains the complete list of linkifiers in order
 * (docs/contract/chat.md 3.4).
 */
export const linkifiersEvent = defineEventType({
  name: 'realm_linkifiers',
  webhookOrder: 'type',
  audience: 'All users of the realm, except queues without the capability linkifier_url_template.',
  payload: z.strictObject({ linkifiers: z.array(wireLinkifierSchema) }),
}).addVariant({
  type: 'realm_linkifiers',
  fields: { realm_linkifiers: z.array(wireLinkifierSchema) },
  when: ({ capabilities }) => capabilities.linkifier_url_template,
  render: ({ linkifiers }) => ({ realm_linkifiers: linkifiers }),
});

export const linkifierEvents = [linkifiersEvent];
