import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireUserSchema } from '../../core/users/index.js';

/** Parameters of POST /fetch_api_key (docs/contract/chat.md 2.B). */
export const fetchApiKeyParameters = defineParameters(
  z.object({ username: z.string().trim(), password: z.string().max(1000) }),
);

/** Parameters of POST /dev_fetch_api_key, in the request body or in the URL query. */
export const fetchDevelopmentApiKeyParameters = defineParameters(z.object({ username: z.string().trim() }));

/** Parameters of POST /json/fetch_api_key (docs/contract/chat.md 1.2). */
export const fetchSessionApiKeyParameters = defineParameters(z.object({ password: z.string().max(1000) }));

/** Parameters of the login page, which contain the path to which the browser is redirected after the login. */
export const loginPageParameters = defineParameters(z.object({ next: z.string().max(2000).optional() }));

/**
 * Fields of the login form: email address, password, and the path to which the browser is redirected after the login.
 */
export const loginFormParameters = defineParameters(
  z.object({
    username: z.string().trim().max(1000),
    password: z.string().max(1000),
    next: z.string().max(2000).optional(),
  }),
);

/** Response body with an account's API key, and the account's email address as stored. */
export const fetchApiKeyResponseBody = createSuccessBodySchema({
  api_key: z.string(),
  email: z.string(),
  user_id: z.int(),
});

/** Parameters of the request POST /jwt/fetch_api_key, which signs in with a JSON web token. */
export const jwtFetchApiKeyParameters = defineParameters(
  z.object({
    token: z.string().meta({ description: 'JSON web token with the claim `email`' }),
    include_profile: z.boolean().default(false).meta({ description: 'Whether the response contains the user' }),
  }),
);

/** Response body of the request POST /jwt/fetch_api_key, which signs in with a JSON web token. */
export const jwtApiKeyResponseBody = createSuccessBodySchema({
  api_key: z.string(),
  email: z.string(),
  user: wireUserSchema.optional(),
});

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

const developmentAccountSchema = z.strictObject({ email: z.string(), realm_url: z.string() });

/** Response body of the request GET /dev_list_users, which lists accounts in development mode. */
export const listDevelopmentAccountsResponseBody = createSuccessBodySchema({
  direct_admins: z.array(developmentAccountSchema),
  direct_users: z.array(developmentAccountSchema),
});
