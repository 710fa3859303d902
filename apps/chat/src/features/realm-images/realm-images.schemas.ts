import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { fileFormBodySchema } from '../../infra/http/file-upload-form.js';
import { defineParameters } from '../../infra/http/parameters.js';

const nightParameter = z.boolean().meta({ description: 'Whether the logo is that for dark themes' });

/** Parameters of POST and DELETE /realm/logo (docs/contract/chat.md 2.H). */
export const logoParameters = defineParameters(z.object({ night: nightParameter }));

/** Request parameters of GET /realm/logo. */
export const getLogoParameters = defineParameters(z.object({ night: nightParameter.default(false) }));

/** Query parameters of POST /realm/logo. The parameter `night` may be sent in the multipart body instead. */
export const uploadLogoQuery = defineParameters(z.object({ night: nightParameter.optional() }));

/** Body of POST /realm/logo. */
export const logoBody = fileFormBodySchema.map(({ contentType, schema }) => ({
  contentType,
  schema: schema.extend({ night: nightParameter.optional() }),
}));

/** Schema of the request parameters of endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));

/** Response of POST and DELETE /realm/icon. */
export const iconResponseBody = successBody({ icon_url: z.string().meta({ description: 'URL of the icon' }) });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});
