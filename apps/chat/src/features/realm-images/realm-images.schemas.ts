import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { fileFormBodySchema } from '../../infra/http/file-upload-form.js';
import { defineParameters } from '../../infra/http/parameters.js';

const isNightLogoParameter = z.boolean().meta({ description: 'Whether the logo is that for dark themes' });

/** Parameters of POST and DELETE /realm/logo (docs/contract/chat.md 2.H). */
export const realmLogoParameters = defineParameters(z.object({ night: isNightLogoParameter }));

/** Request parameters of GET /realm/logo. */
export const realmLogoRetrievalParameters = defineParameters(z.object({ night: isNightLogoParameter.default(false) }));

/** Query parameters of POST /realm/logo. The parameter `night` may be sent in the multipart body instead. */
export const realmLogoUploadQueryParameters = defineParameters(z.object({ night: isNightLogoParameter.optional() }));

export const realmLogoUploadBody = fileFormBodySchema.map(({ contentType, schema }) => ({
  contentType,
  schema: schema.extend({ night: isNightLogoParameter.optional() }),
}));

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

export const realmIconResponseBody = createSuccessBodySchema({
  icon_url: z.string().meta({ description: 'URL of the icon' }),
});

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
