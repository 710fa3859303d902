import { z } from 'zod';
import { nameValuePairsVariableSchema } from './environment-variable-schemas.js';

/** Names of the samplers that `OTEL_TRACES_SAMPLER` accepts, with the names of the OpenTelemetry specification. */
const traceSamplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Environment variables that configure the export of tracing spans, with the names and formats of OpenTelemetry. */
export const tracingEnvironmentSchema = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .meta({
      description:
        'URL of the OpenTelemetry collector that gets the spans of requests and background work by OTLP, such as http://collector:4318; `/v1/traces` is appended. No spans are created when absent',
    }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'])
    .default('http/protobuf')
    .meta({ description: 'Encoding of exported spans' }),
  OTEL_EXPORTER_OTLP_HEADERS: nameValuePairsVariableSchema().prefault('').meta({
    description: 'Headers of requests to the collector, as name=value,name=value with percent-encoded values',
    secret: true,
  }),
  OTEL_SERVICE_NAME: z.string().optional().meta({
    description: 'Name of the service in exported spans; `chat` or `inventory` when absent',
  }),
  OTEL_RESOURCE_ATTRIBUTES: nameValuePairsVariableSchema().prefault('').meta({
    description:
      'Attributes of the process in exported spans, such as deployment.environment.name=production, as name=value,name=value with percent-encoded values',
  }),
  OTEL_TRACES_SAMPLER: z.enum(traceSamplerNames).default('parentbased_traceidratio').meta({
    description:
      'Selection of the traces whose spans are exported: always_on, always_off or traceidratio. With the prefix parentbased_, the decision of a client that sends `traceparent` takes precedence',
  }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1)
    .meta({ description: 'Share of traces that traceidratio and parentbased_traceidratio select, from 0 to 1' }),
};
