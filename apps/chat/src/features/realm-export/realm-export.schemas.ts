import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { exportType, wireExport } from './wire-export.js';

/** Numbers of export types by the texts that newer clients send. Older clients send numbers. */
const typeByText = {
  '1': exportType.public,
  public: exportType.public,
  '2': exportType.consenting,
  full_with_consent: exportType.consenting,
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
export function exportTypeOf(sent: keyof typeof typeByText): number {
  return typeByText[sent];
}

/** Empty parameters, for endpoints that accept none. */
export const noParameters = defineParameters(z.object({}));

/** Path parameter of one export. */
export const exportPath = z.object({ export_id: z.int() });

/** Response of POST /export/realm. */
export const requestedExportBody = successBody({ id: z.int() });

/** Response of GET /export/realm. */
export const listExportsBody = successBody({ exports: z.array(wireExport) });

/** Response of GET /export/realm/consents. */
export const listConsentsBody = successBody({
  export_consents: z.array(z.strictObject({ user_id: z.int(), consented: z.boolean() })),
});

/** Success response of endpoints that return no data. */
export const emptyBody = successBody({});
