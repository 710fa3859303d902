import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

/** Event that informs a user about changed alert words. Contains the complete new list (docs/contract/chat.md 3.4). */
export const alertWordsEvent = defineEventType({
  name: 'alert_words',
  audience: 'Only the user who has the alert words.',
  payload: z.strictObject({ alert_words: z.array(z.string()) }),
}).addVariant({ type: 'alert_words', fields: { alert_words: z.array(z.string()) }, render: (all) => all });

export const alertWordEventTypes = [alertWordsEvent];
