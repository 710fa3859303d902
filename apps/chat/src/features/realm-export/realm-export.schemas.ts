import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { exportTypeNumbers, wireExportSchema } from './wire-export.js';

/** Map from the names of export types, which newer clients send, to numbers, which older clients send. */
const exportTypeNumberByName = {
  '1': exportTypeNumbers.public,
  public: exportTypeNumbers.public,
  '2': exportTypeNumbers.consenting,
  full_with_consent: exportTypeNumbers.consenting,
} as const;

export const requestExportParameters = defineParameters(
  z.object({
    export_type: z
      .enum(['1', 'public', '2', 'full_with_consent'])
      .default('public')
      .meta({ description: '`1` or `public`: public data; `2` or `full_with_consent`: also that of consenting users' }),
  }),
);

/** Returns the number of the export type that a client sent. */
export function parseExportType(sent: keyof typeof exportTypeNumberByName): number {
  return exportTypeNumberByName[sent];
}

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

export const exportPathParameters = z.object({ export_id: z.int() });

export const requestedExportResponseBody = createSuccessBodySchema({ id: z.int() });

export const listExportsResponseBody = createSuccessBodySchema({ exports: z.array(wireExportSchema) });

export const listConsentsResponseBody = createSuccessBodySchema({
  export_consents: z.array(z.strictObject({ user_id: z.int(), consented: z.boolean() })),
});

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
