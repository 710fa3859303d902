import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';

/** A user's alert words have changed (docs/contract/chat.md 3.4): all of them. */
export const alertWordsEvent = defineEvent({
  name: 'alert_words',
  audience: 'Only the user who has the alert words.',
  payload: z.strictObject({ alert_words: z.array(z.string()) }),
}).as({ type: 'alert_words', fields: { alert_words: z.array(z.string()) }, render: (all) => all });

/** The events of this module. */
export const alertWordEvents = [alertWordsEvent];
