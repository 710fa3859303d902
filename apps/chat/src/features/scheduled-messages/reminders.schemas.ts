import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { deliveryTimestampParameter } from './scheduled-messages.schemas.js';
import { wireReminderSchema } from './wire-scheduled-message.js';

/** Maximum length of the note of a reminder, in code points (docs/contract/chat.md 4.2). */
export const maxReminderNoteLength = 500;

/** Parameters of POST /reminders (docs/contract/chat.md 2.D). */
export const addReminderParameters = defineParameters(
  z.object({
    message_id: z.int().meta({ description: 'Message of which the user is reminded' }),
    scheduled_delivery_timestamp: deliveryTimestampParameter,
    note: z
      .string()
      .optional()
      .meta({ description: `Text in the reminder, of at most ${maxReminderNoteLength} characters` }),
  }),
);

export const addReminderResponseBody = createSuccessBodySchema({ reminder_id: z.int() });

export const listRemindersResponseBody = createSuccessBodySchema({ reminders: z.array(wireReminderSchema) });

/** Schema of the path parameters of endpoints that address one reminder by id. */
export const reminderPathParameters = z.object({ reminder_id: z.int() });
