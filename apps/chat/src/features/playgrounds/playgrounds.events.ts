import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wirePlaygroundSchema } from './wire-playground.js';

const playgroundsFields = { realm_playgrounds: z.array(wirePlaygroundSchema) };

/**
 * Event sent when the realm's code playgrounds changed. The event contains the complete list of playgrounds
 * (docs/contract/chat.md 3.4).
 */
export const playgroundsEvent = defineEventType({
  name: 'realm_playgrounds',
  webhookOrder: 'type',
  audience: 'All users of the realm.',
  payload: z.strictObject(playgroundsFields),
}).addVariant({ type: 'realm_playgrounds', fields: playgroundsFields, render: (change) => change });

/** List of all event types of the playground feature. */
export const playgroundEvents = [playgroundsEvent];
