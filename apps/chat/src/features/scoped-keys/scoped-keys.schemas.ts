import { z } from 'zod';
import { apiKeyScopeSchema } from '../../infra/http/api-key-scopes.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireScopedApiKeySchema } from './wire-scoped-key.js';

/** Maximum length of the name of an API key, in code points. */
export const maxApiKeyNameLength = 60;

/** Latest expiry of an API key, in UNIX seconds: the end of the year 9999. */
const latestKeyExpirySeconds = 253_402_300_799;

/** Parameters of the endpoints that create an API key with scopes. */
export const apiKeyCreationParameters = defineParameters(
  z.object({
    name: z.string().meta({ description: `1 to ${maxApiKeyNameLength} characters` }),
    scopes: z
      .array(apiKeyScopeSchema)
      .min(1)
      .max(10)
      .meta({ description: 'Scopes of the key; administer includes the others, which do not include each other' }),
    expires_at: z
      .int()
      .max(latestKeyExpirySeconds)
      .optional()
      .meta({ description: 'UNIX time in seconds at which the key ends; by default it does not expire' }),
  }),
);

/** Response of the endpoints that create an API key with scopes. No other response contains the secret of the key. */
export const apiKeyCreationResponseBody = createSuccessBodySchema({ api_key: z.string(), key: wireScopedApiKeySchema });

/** Response of the endpoints that list API keys with scopes. */
export const apiKeyListResponseBody = createSuccessBodySchema({ api_keys: z.array(wireScopedApiKeySchema) });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one API key of the user. */
export const scopedApiKeyPathParameters = z.object({ key_id: z.int() });

/** Schema of the path parameters of endpoints for the API keys of one bot. */
export const botApiKeysPathParameters = z.object({ bot_id: z.int() });

/** Schema of the path parameters of endpoints that address one API key of one bot. */
export const botApiKeyPathParameters = z.object({ bot_id: z.int(), key_id: z.int() });
