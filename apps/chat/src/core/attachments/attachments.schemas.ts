import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireAttachmentSchema } from './wire-attachment.js';

/** Response of GET /attachments. */
export const listAttachmentsResponseBody = successBody({
  attachments: z.array(wireAttachmentSchema),
  upload_space_used: z.int().meta({ description: 'Size of all files of the organization, in bytes' }),
});

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));
