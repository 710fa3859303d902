import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { fileFormBodySchema } from '../../infra/http/file-upload-form.js';
import { defineParameters } from '../../infra/http/parameters.js';

const nightParameter = z.boolean().meta({ description: 'Whether the logo is that for dark themes' });

/** Parameters of POST and DELETE /realm/logo (docs/contract/chat.md 2.H). */
export const logoParameters = defineParameters(z.object({ night: nightParameter }));

/** Parameters of GET /realm/logo. */
export const getLogoParameters = defineParameters(z.object({ night: nightParameter.default(false) }));

/** Query of POST /realm/logo, whose parameter may also be a field of the multipart body. */
export const uploadLogoQuery = defineParameters(z.object({ night: nightParameter.optional() }));

/** Body of POST /realm/logo. */
export const logoBody = fileFormBodySchema.map(({ contentType, schema }) => ({
  contentType,
  schema: schema.extend({ night: nightParameter.optional() }),
}));

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Response of POST and DELETE /realm/icon. */
export const iconResponseBody = successBody({ icon_url: z.string().meta({ description: 'URL of the icon' }) });

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});
