import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const alertWordListSchema = z.array(z.string()).max(1000);

/** Parameters of POST and DELETE /users/me/alert_words (docs/contract/chat.md 2.F). */
export const changeAlertWordsParameters = defineParameters(z.object({ alert_words: alertWordListSchema }));

/** Response body with all alert words of the user who sent the request. */
export const alertWordsResponseBody = createSuccessBodySchema({ alert_words: z.array(z.string()) });

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));
