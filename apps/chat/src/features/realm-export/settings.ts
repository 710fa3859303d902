import { integerVariableSchema } from '@switchboard/platform';

/** Environment variables that configure exports of organizations. */
export const realmExportEnvironmentVariables = {
  REALM_EXPORTS_PER_WEEK: integerVariableSchema({ min: 1 })
    .default(5)
    .meta({ description: 'Exports of one organization that administrators may request in 7 days' }),
  REALM_EXPORT_POLL_MS: integerVariableSchema({ min: 50, max: 60_000 })
    .default(5_000)
    .meta({ description: 'Interval at which workers search for requested exports, in milliseconds' }),
  REALM_EXPORT_LEASE_MS: integerVariableSchema({ min: 1_000, max: 3_600_000 })
    .default(60_000)
    .meta({ description: 'Time after which another worker continues the export of a dead one, in milliseconds' }),
};
