import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const alertWordList = z.array(z.string()).max(1000);

/** Parameters of POST and DELETE /users/me/alert_words (docs/contract/chat.md 2.F). */
export const alertWordsParameters = defineParameters(z.object({ alert_words: alertWordList }));

/** Response with all alert words of the requester. */
export const alertWordsResponseBody = successBody({ alert_words: z.array(z.string()) });

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));
