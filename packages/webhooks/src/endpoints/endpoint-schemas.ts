import { z } from 'zod';
import { getWebhookSecretKeyLength } from '../signing/signing-key.js';

/** Name that stands for all event types in the event types of an endpoint. */
export const allEventTypesName = '*';

// PostgreSQL cannot store NUL characters in texts.
const createStorableTextSchema = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** Schema of the name of an event type, such as `order.placed`. */
export const eventTypeNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/, 'must consist of letters, digits and the characters _ . : / -');

/**
 * Schema of the owner of endpoints: a tenant of the service. Services without tenants use the empty string for the owner.
 */
export const endpointOwnerSchema = createStorableTextSchema(128);

/** Schema of the order key of an event. Deliveries with equal order keys are sent one after another. */
export const eventOrderKeySchema = createStorableTextSchema(256).min(1);

const maxEndpointMetadataLength = 4_096;

const endpointFieldSchemas = {
  /** URL to which the events of the endpoint are sent: an absolute http or https URL. */
  url: createStorableTextSchema(2_048),
  description: createStorableTextSchema(500),
  /** Event types that the endpoint receives; `*` for all event types. */
  eventTypes: z
    .array(z.union([z.literal(allEventTypesName), eventTypeNameSchema]))
    .min(1)
    .max(200),
  /** True if events are delivered to the endpoint. Deliveries to a disabled endpoint fail. */
  enabled: z.boolean(),
  /** Data that the service stores with the endpoint and that is never sent. At most 4,096 characters of JSON. */
  metadata: z
    .record(z.string(), z.unknown())
    .refine(
      (data) => getJsonTextLength(data) <= maxEndpointMetadataLength,
      'must have at most 4096 characters as JSON',
    ),
};

/**
 * Returns the length of a value's JSON text in characters. Returns Infinity for a value that is nested too deeply or
 * cannot be written as JSON.
 */
function getJsonTextLength(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Schema of an endpoint secret that the caller supplies: `whsec_` followed by 24 to 64 bytes in base64. */
const suppliedEndpointSecretSchema = z.string().refine((secret) => {
  const length = getWebhookSecretKeyLength(secret);
  return length !== null && length >= 24 && length <= 64;
}, 'must be whsec_ and the base64 of 24 to 64 bytes');

/** Schema of the input for a new webhook endpoint. Without `secret`, a random secret is generated. */
export const newEndpointSchema = z.strictObject({
  url: endpointFieldSchemas.url,
  description: endpointFieldSchemas.description.default(''),
  eventTypes: endpointFieldSchemas.eventTypes,
  enabled: endpointFieldSchemas.enabled.default(true),
  metadata: endpointFieldSchemas.metadata.default({}),
  secret: suppliedEndpointSecretSchema.optional(),
});

/** Schema of the input for a change of a webhook endpoint. Omitted fields remain unchanged. */
export const endpointChangeSchema = z.strictObject(endpointFieldSchemas).partial();

/** Schema of the input for a replacement of an endpoint's secret. */
export const endpointSecretRotationSchema = z.strictObject({
  /**
   * Time in seconds for which requests are still also signed with the replaced secret. With 0, all earlier secrets
   * expire immediately. Default one day, at most 30 days.
   */
  overlapSeconds: z.int().min(0).max(2_592_000).default(86_400),
  secret: suppliedEndpointSecretSchema.optional(),
});

/** Schema of a webhook endpoint in responses. The response contains no secret. */
export const endpointSchema = z.strictObject({
  id: z.uuid(),
  ...endpointFieldSchemas,
  /** Number of replaced secrets of the endpoint that have not been deleted. */
  formerSecrets: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** Schema of a webhook endpoint with its secret. The secret is returned only when it is created or replaced. */
export const endpointWithSecretSchema = endpointSchema.extend({ secret: z.string() });

/** Schema of the query for a page: its position and size. */
export const listPageQuerySchema = z.strictObject({
  /** Value of `next` of the previous page. Absent for the first page. */
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
});

/** Schema of a page of webhook endpoints. `next` is null on the last page. */
export const endpointPageSchema = z.strictObject({
  endpoints: z.array(endpointSchema),
  next: z.int().nullable(),
});

/** Input for a new webhook endpoint. Only `url` and `eventTypes` are required. */
export type NewWebhookEndpoint = z.input<typeof newEndpointSchema>;
/** Input for a change of a webhook endpoint, see {@link endpointChangeSchema}. */
export type WebhookEndpointChange = z.input<typeof endpointChangeSchema>;
/** Input for a replacement of an endpoint's secret, see {@link endpointSecretRotationSchema}. */
export type EndpointSecretRotation = z.input<typeof endpointSecretRotationSchema>;
/** A webhook endpoint without its secret. */
export type WebhookEndpoint = z.infer<typeof endpointSchema>;
/** A webhook endpoint with its secret. */
export type EndpointWithSecret = z.infer<typeof endpointWithSecretSchema>;
/** A page of a list of webhook endpoints. */
export type EndpointPage = z.infer<typeof endpointPageSchema>;
/** Query for a page of a list: its position and size. */
export type ListPageQuery = z.input<typeof listPageQuerySchema>;
