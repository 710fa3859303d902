import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { wirePlaygroundSchema } from './wire-playground.js';

const playgroundsFields = { realm_playgrounds: z.array(wirePlaygroundSchema) };

/** Event of changed playgrounds, with the complete list (docs/contract/chat.md 3.4). */
export const playgroundsEvent = defineEvent({
  name: 'realm_playgrounds',
  webhookOrder: 'type',
  audience: 'All users of the realm.',
  payload: z.strictObject(playgroundsFields),
}).withVariant({ type: 'realm_playgrounds', fields: playgroundsFields, render: (change) => change });

/** All playground events. */
export const playgroundEvents = [playgroundsEvent];
