import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireAttachmentSchema } from './wire-attachment.js';

/** Response body of the request GET /attachments, which lists uploaded files. */
export const listAttachmentsResponseBody = createSuccessBodySchema({
  attachments: z.array(wireAttachmentSchema),
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
});

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));
