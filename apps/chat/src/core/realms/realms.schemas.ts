import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

export const emptyRequestParameters = defineParameters(z.object({}));

export const serverVersionFields = {
  zulip_version: z.string(),
  zulip_merge_base: z.string(),
  zulip_feature_level: z.int(),
};

const authenticationMethodsSchema = z.strictObject({
  password: z.boolean(),
  dev: z.boolean(),
  email: z.boolean(),
  ldap: z.boolean(),
  remoteuser: z.boolean(),
  github: z.boolean(),
  azuread: z.boolean(),
  gitlab: z.boolean(),
  apple: z.boolean(),
  google: z.boolean(),
  saml: z.boolean(),
  'openid connect': z.boolean(),
});

const externalAuthenticationMethodSchema = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  display_icon: z.string().nullable(),
  login_url: z.string(),
  signup_url: z.string(),
});

/** Response of GET /server_settings (docs/contract/chat.md 2.B). */
export const serverSettingsResponseBody = createSuccessBodySchema({
  ...serverVersionFields,
  authentication_methods: authenticationMethodsSchema,
  external_authentication_methods: z.array(externalAuthenticationMethodSchema),
  push_notifications_enabled: z.boolean(),
  is_incompatible: z.boolean(),
  email_auth_enabled: z.boolean(),
  require_email_format_usernames: z.boolean(),
  realm_url: z.string(),
  realm_uri: z.string(),
  realm_name: z.string(),
  realm_icon: z.string(),
  realm_description: z.string().meta({ description: 'HTML' }),
  realm_web_public_access_enabled: z.boolean(),
});

/** Response body of the request GET /realm/subdomain/{subdomain}, which checks if a subdomain is available. */
export const subdomainCheckResponseBody = createSuccessBodySchema({ msg: z.string() });
