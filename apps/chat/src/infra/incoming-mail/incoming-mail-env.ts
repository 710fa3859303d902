import { integerVariableSchema, listVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

/** Environment variables of the SMTP server that accepts mail addressed to channels. */
export const incomingMailEnvironmentVariables = {
  INCOMING_MAIL_PORT: integerVariableSchema({ min: 0, max: 65_535 }).optional().meta({
    description:
      'Port of the SMTP server that accepts mail to the addresses of channels; 0 takes any free port, which the log names. No mail is accepted when absent',
  }),
  INCOMING_MAIL_HOST: z
    .string()
    .default('127.0.0.1')
    .meta({ description: 'Address on which the SMTP server for incoming mail listens' }),
  INCOMING_MAIL_ROLE: z.enum(['api', 'worker']).default('api').meta({
    description:
      'Role of the processes that run the SMTP server for incoming mail; a process with the role all always does',
  }),
  INCOMING_MAIL_DOMAIN: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,190}$/, 'must be a host name')
    .optional()
    .meta({ description: 'Domain of the addresses of channels; the host of the organization when absent' }),
  INCOMING_MAIL_TLS_KEY_FILE: z
    .string()
    .optional()
    .meta({ description: 'Private key of the SMTP server for incoming mail, a PEM file; STARTTLS is offered with it' }),
  INCOMING_MAIL_TLS_CERTIFICATE_FILE: z
    .string()
    .optional()
    .meta({ description: 'Certificate chain of the SMTP server for incoming mail, a PEM file' }),
  INCOMING_MAIL_PROXIES: listVariableSchema().prefault('').meta({
    description:
      'Addresses of load balancers, separated by commas, whose connections to the SMTP server for incoming mail begin with a PROXY header',
  }),
  INCOMING_MAIL_MAX_BYTES: integerVariableSchema({ min: 10_000, max: 26_214_400 })
    .default(26_214_400)
    .meta({ description: 'Largest incoming mail, in bytes' }),
  INCOMING_MAIL_PARSE_MS: integerVariableSchema({ min: 100, max: 600_000 }).default(15_000).meta({
    description:
      'Time after which a process stops parsing an incoming mail and replies 451, in milliseconds; a process parses one mail at a time',
  }),
  INCOMING_MAIL_CONNECTIONS: integerVariableSchema({ min: 1, max: 1_000 })
    .default(50)
    .meta({ description: 'Connections to the SMTP server for incoming mail of one process' }),
  INCOMING_MAIL_CONNECTIONS_PER_ADDRESS: integerVariableSchema({ min: 1, max: 1_000 })
    .default(10)
    .meta({ description: 'Connections to the SMTP server for incoming mail from one address to one process' }),
};

/** Parsed values of {@link incomingMailEnvironmentVariables}. */
export type IncomingMailConfig = z.output<z.ZodObject<typeof incomingMailEnvironmentVariables>>;

/** Returns true if a process with this configuration runs the SMTP server for incoming mail. */
export function runsIncomingMailServer(
  config: IncomingMailConfig & { readonly ROLE: 'api' | 'worker' | 'all' },
): boolean {
  const { INCOMING_MAIL_PORT: port, INCOMING_MAIL_ROLE: role, ROLE: ownRole } = config;
  return port !== undefined && (ownRole === 'all' || ownRole === role);
}
