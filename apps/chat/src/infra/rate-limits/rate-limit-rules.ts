import { z } from 'zod';

/** A rate limit of `max` requests within any period of `windowSeconds`. */
export interface RateLimitRule {
  readonly windowSeconds: number;
  readonly max: number;
}

const rateLimitRulesPattern = /^[1-9]\d{0,7}:[1-9]\d{0,7}(,[1-9]\d{0,7}:[1-9]\d{0,7})*$/;

/**
 * Parses rate limits in the form `seconds:count,seconds:count` (docs/contract/chat.md 1.7). Returns one rule for each
 * period, with the smallest count given for the period. Returns null for other text.
 */
export function parseRateLimitRules(text: string): readonly RateLimitRule[] | null {
  if (!rateLimitRulesPattern.test(text)) return null;
  const maxByPeriod = new Map<number, number>();
  for (const rule of text.split(',')) {
    const [windowSeconds, max] = rule.split(':').map(Number) as [number, number];
    maxByPeriod.set(windowSeconds, Math.min(max, maxByPeriod.get(windowSeconds) ?? max));
  }
  return [...maxByPeriod].map(([windowSeconds, max]) => ({ windowSeconds, max }));
}

/** Default rate limits in production (docs/contract/chat.md 1.7). In development no rate limits apply. */
export const productionDefaultRateLimitRules = {
  /** Rate limit of requests by one account. Long polls are counted separately, with an equal limit. */
  API_BY_USER: '60:200',
  /** Rate limit of requests from one IP address without an account or with invalid credentials. */
  API_BY_IP: '60:100',
  /** Rate limit of attempts to sign in by password, including successful attempts. Counted per user name. */
  AUTHENTICATE_BY_USERNAME: '1800:5',
  /** Rate limit of emails with a link for a new password, counted per entered email address. */
  PASSWORD_RESET_BY_EMAIL: '3600:2,86400:5',
  /** Rate limit of emails that confirm a new email address. */
  EMAIL_CHANGE_BY_USER: '3600:2,86400:5',
  /** Rate limit of emails that are requested without an account, counted per IP address. */
  EMAIL_BY_IP: '86400:5',
  /** Rate limit of downloads of one file by clients without an account. */
  SPECTATOR_ATTACHMENT_BY_FILE: '86400:1000',
  /** Rate limit of messages to the owner of a bot about failed webhook requests. */
  WEBHOOK_NOTICE_BY_BOT: '60:1',
  /** Rate limit of the recipients of mails to the channels of one organization. */
  CHANNEL_MAIL_BY_REALM: '60:50,300:120,3600:600',
} as const;

/** Name of a configurable rate limit. */
export type RateLimitName = keyof typeof productionDefaultRateLimitRules;

const descriptionByRateLimitName: Readonly<Record<RateLimitName, string>> = {
  API_BY_USER: 'requests of one account, and separately of event polls of one account',
  API_BY_IP: 'requests of one address without good credentials',
  AUTHENTICATE_BY_USERNAME: 'attempts to sign in to one account by password',
  PASSWORD_RESET_BY_EMAIL: 'links for a new password that are requested for one email address',
  EMAIL_CHANGE_BY_USER: 'changes of address that one account requests',
  EMAIL_BY_IP: 'mails that one address without an account requests',
  SPECTATOR_ATTACHMENT_BY_FILE: 'reads of one file without an account',
  WEBHOOK_NOTICE_BY_BOT: 'messages to the owner of one bot about webhook requests that failed',
  CHANNEL_MAIL_BY_REALM: 'mails to the channels of one organization',
};

/** Schema of the configuration value of a rate limit: `off`, or a list of rules. */
const rateLimitRulesSettingSchema = z
  .string()
  .refine(
    (text) => text === 'off' || parseRateLimitRules(text) !== null,
    'must read seconds:count,seconds:count, or off',
  )
  .optional();

function createRateLimitSettingSchema(name: RateLimitName) {
  return rateLimitRulesSettingSchema.meta({
    description:
      `Limits of ${descriptionByRateLimitName[name]}, as seconds:count,seconds:count, or off. ` +
      `When absent: ${productionDefaultRateLimitRules[name]} in production, off elsewhere`,
  });
}

/** Environment variables that configure the rate limits. */
export const rateLimitEnvironmentVariables = {
  RATE_LIMIT_API_BY_USER: createRateLimitSettingSchema('API_BY_USER'),
  RATE_LIMIT_API_BY_IP: createRateLimitSettingSchema('API_BY_IP'),
  RATE_LIMIT_AUTHENTICATE_BY_USERNAME: createRateLimitSettingSchema('AUTHENTICATE_BY_USERNAME'),
  RATE_LIMIT_PASSWORD_RESET_BY_EMAIL: createRateLimitSettingSchema('PASSWORD_RESET_BY_EMAIL'),
  RATE_LIMIT_EMAIL_CHANGE_BY_USER: createRateLimitSettingSchema('EMAIL_CHANGE_BY_USER'),
  RATE_LIMIT_EMAIL_BY_IP: createRateLimitSettingSchema('EMAIL_BY_IP'),
  RATE_LIMIT_SPECTATOR_ATTACHMENT_BY_FILE: createRateLimitSettingSchema('SPECTATOR_ATTACHMENT_BY_FILE'),
  RATE_LIMIT_WEBHOOK_NOTICE_BY_BOT: createRateLimitSettingSchema('WEBHOOK_NOTICE_BY_BOT'),
  RATE_LIMIT_CHANNEL_MAIL_BY_REALM: createRateLimitSettingSchema('CHANNEL_MAIL_BY_REALM'),
};

/** Parsed values of {@link rateLimitEnvironmentVariables}. Limits that are not configured have default values. */
export type RateLimitConfig = { readonly [K in keyof typeof rateLimitEnvironmentVariables]?: string | undefined } & {
  readonly NODE_ENV: string;
};

/** Returns the configured rules of a rate limit. The list is empty if the rate limit is disabled. */
export function getRateLimitRules(config: RateLimitConfig, name: RateLimitName): readonly RateLimitRule[] {
  const text =
    config[`RATE_LIMIT_${name}`] ?? (config.NODE_ENV === 'production' ? productionDefaultRateLimitRules[name] : 'off');
  return parseRateLimitRules(text) ?? [];
}
