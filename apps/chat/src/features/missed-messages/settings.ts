import { integerVariableSchema } from '@switchboard/platform';

/** Environment variables for emails about missed messages. */
export const missedMessagesEnvironmentVariables = {
  MISSED_MESSAGES_CHECK_MS: integerVariableSchema({ min: 100, max: 3_600_000 })
    .default(5_000)
    .meta({ description: 'Interval at which due mails about missed messages are sent, in milliseconds' }),
};
