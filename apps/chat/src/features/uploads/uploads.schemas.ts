import { z } from 'zod';
import {
  commonErrorResponses,
  notFoundErrorResponse,
  createSuccessBodySchema,
} from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Response of POST /user_uploads (docs/contract/chat.md 2.C). */
export const uploadResponseBody = createSuccessBodySchema({
  url: z.string().meta({ description: 'Path of the file, for links in messages' }),
  uri: z.string().meta({ description: 'The same URL', deprecated: true }),
  filename: z.string().meta({ description: 'Name of the file as in its path' }),
});

export const temporaryFileLinkResponseBody = createSuccessBodySchema({
  url: z.string().meta({ description: 'Path of the file that needs no credentials for 60 seconds' }),
});

export const thumbnailStatusResponseBody = createSuccessBodySchema({ has_thumbnail: z.boolean() });

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

const apiKeyQueryParameterSchema = z
  .string()
  .optional()
  .meta({ description: 'API key, for clients that cannot send an Authorization header' });

export const uploadedFileQueryParameters = defineParameters(
  z.object({
    api_key: apiKeyQueryParameterSchema,
    download: z.boolean().optional().meta({ description: 'Whether browsers save the file instead of showing it' }),
  }),
);

export const thumbnailQueryParameters = defineParameters(z.object({ api_key: apiKeyQueryParameterSchema }));

export const temporaryFileLinkQueryParameters = defineParameters(
  z.object({ download: z.boolean().optional().meta({ description: 'Like the response for a file' }) }),
);

/** Schema of the path parameters after /user_uploads/ in the URL of an uploaded file. */
export const uploadedFilePathParameters = z.object({
  realm_id: z.int(),
  path: z.string().meta({ description: 'The rest of the path, with or without escaped slashes' }),
});

/** Possible responses to a request for an uploaded file, for the OpenAPI document. */
export const uploadedFileOpenApiResponses = {
  200: { description: 'The file', contentType: '*/*' },
  206: { description: 'The part of the file that the Range header names', contentType: '*/*' },
  ...commonErrorResponses,
  ...notFoundErrorResponse,
} as const;
