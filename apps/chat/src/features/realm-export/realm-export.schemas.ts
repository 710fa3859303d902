import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { exportTypeSchema, wireExportSchema } from './wire-export.js';

/** Numbers of export types by the texts that newer clients send. Older clients send numbers. */
const exportTypeByText = {
  '1': exportTypeSchema.public,
  public: exportTypeSchema.public,
  '2': exportTypeSchema.consenting,
  full_with_consent: exportTypeSchema.consenting,
} as const;

/** Parameters of POST /export/realm. */
export const requestExportParameters = defineParameters(
  z.object({
    export_type: z
      .enum(['1', 'public', '2', 'full_with_consent'])
      .default('public')
      .meta({ description: '`1` or `public`: public data; `2` or `full_with_consent`: also that of consenting users' }),
  }),
);

/** Returns the number of an export type. */
export function parseExportType(sent: keyof typeof exportTypeByText): number {
  return exportTypeByText[sent];
}

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Path parameter of one export. */
export const exportPathParameters = z.object({ export_id: z.int() });

/** Response of POST /export/realm. */
export const requestedExportResponseBody = successBody({ id: z.int() });

/** Response of GET /export/realm. */
export const listExportsResponseBody = successBody({ exports: z.array(wireExportSchema) });

/** Response of GET /export/realm/consents. */
export const listConsentsResponseBody = successBody({
  export_consents: z.array(z.strictObject({ user_id: z.int(), consented: z.boolean() })),
});

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});
