import { integerVariableSchema } from '@switchboard/platform';

/** Environment variables for the delivery of scheduled messages. */
export const scheduledMessageEnvironmentVariables = {
  SCHEDULED_MESSAGES_POLL_MS: integerVariableSchema({ min: 50, max: 2_000 })
    .default(1_000)
    .meta({ description: 'Maximum time between two searches for due scheduled messages, in milliseconds' }),
};
