import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const alertWordList = z.array(z.string()).max(1000);

/** Parameters of POST and DELETE /users/me/alert_words (docs/contract/chat.md 2.F). */
export const alertWordsParameters = defineParameters(z.object({ alert_words: alertWordList }));

/** Response body with all alert words of the user who sent the request. */
export const alertWordsResponseBody = successBody({ alert_words: z.array(z.string()) });

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));
