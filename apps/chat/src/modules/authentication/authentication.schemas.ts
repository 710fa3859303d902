import { z } from 'zod';
import { successBody } from '../../http/envelope.schemas.js';
import { defineParameters } from '../../http/parameters.js';

/** POST /fetch_api_key (chat-contract 2.B). */
export const fetchApiKeyParameters = defineParameters(
  z.object({ username: z.string().trim(), password: z.string().max(1000) }),
);

/** POST /dev_fetch_api_key: in the body or in the query. */
export const devFetchApiKeyParameters = defineParameters(z.object({ username: z.string().trim() }));

/** The account's key, with its address as stored. */
export const apiKeyBody = successBody({ api_key: z.string(), email: z.string(), user_id: z.int() });
