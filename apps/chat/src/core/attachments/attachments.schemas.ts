import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireAttachmentSchema } from './wire-attachment.js';

/** Response body of the request GET /attachments, which lists uploaded files. */
export const listAttachmentsResponseBody = successBody({
  attachments: z.array(wireAttachmentSchema),
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
});

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));
