import { z } from 'zod';
import { webhookSecretKeyLength } from '../signing/signing-key.js';

/** Event type of an endpoint that receives all events. */
export const allEventTypes = '*';

// PostgreSQL cannot store NUL characters in texts.
const storableTextSchema = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** Schema of the name of an event type, such as `order.placed`. */
export const eventTypeNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/, 'must consist of letters, digits and the characters _ . : / -');

/** Schema of the owner of endpoints: a tenant of the service. Services without tenants use the empty text. */
export const endpointOwnerSchema = storableTextSchema(128);

/** Schema of the order key of an event. */
export const orderKeySchema = storableTextSchema(256).min(1);

const maxMetadataLength = 4_096;

const endpointFieldSchemas = {
  /** Absolute http or https URL. */
  url: storableTextSchema(2_048),
  description: storableTextSchema(500),
  /** Event types that the endpoint receives; `*` for all. */
  eventTypes: z
    .array(z.union([z.literal(allEventTypes), eventTypeNameSchema]))
    .min(1)
    .max(200),
  /** True if events are delivered. Deliveries of a disabled endpoint fail. */
  enabled: z.boolean(),
  /** Data of the service about the endpoint, which is never sent. At most 4,096 characters as JSON. */
  metadata: z
    .record(z.string(), z.unknown())
    .refine((data) => jsonTextLength(data) <= maxMetadataLength, 'must have at most 4096 characters as JSON'),
};

/** Returns the length of a value as JSON, or Infinity for a value that is nested too deeply or is no JSON. */
function jsonTextLength(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Schema of a secret that the caller supplies: `whsec_` and the base64 of 24 to 64 bytes. */
const suppliedSecretSchema = z.string().refine((secret) => {
  const length = webhookSecretKeyLength(secret);
  return length !== null && length >= 24 && length <= 64;
}, 'must be whsec_ and the base64 of 24 to 64 bytes');

/** Schema of a new endpoint. Without `secret`, a random secret is generated. */
export const newEndpointSchema = z.strictObject({
  url: endpointFieldSchemas.url,
  description: endpointFieldSchemas.description.default(''),
  eventTypes: endpointFieldSchemas.eventTypes,
  enabled: endpointFieldSchemas.enabled.default(true),
  metadata: endpointFieldSchemas.metadata.default({}),
  secret: suppliedSecretSchema.optional(),
});

/** Schema of a change of an endpoint. Omitted fields remain unchanged. */
export const endpointChangeSchema = z.strictObject(endpointFieldSchemas).partial();

/** Schema of the rotation of a secret. */
export const secretRotationSchema = z.strictObject({
  /**
   * Time for which the replaced secret still signs, in seconds. With 0, all earlier secrets end immediately. Default one
   * day, at most 30 days.
   */
  overlapSeconds: z.int().min(0).max(2_592_000).default(86_400),
  secret: suppliedSecretSchema.optional(),
});

/** Schema of an endpoint in responses. It contains no secret. */
export const endpointSchema = z.strictObject({
  id: z.uuid(),
  ...endpointFieldSchemas,
  /** Number of replaced secrets that have not been deleted. */
  formerSecrets: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** Schema of an endpoint with its secret, which is returned only when the secret is set. */
export const endpointWithSecretSchema = endpointSchema.extend({ secret: z.string() });

/** Schema of the position and size of a page. */
export const pageQuerySchema = z.strictObject({
  /** Value of `next` of the previous page. */
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
});

/** Schema of a page of endpoints. `next` is null on the last page. */
export const endpointPageSchema = z.strictObject({
  endpoints: z.array(endpointSchema),
  next: z.int().nullable(),
});

/** A new endpoint, see {@link newEndpointSchema}. */
export type NewEndpoint = z.input<typeof newEndpointSchema>;
/** A change of an endpoint, see {@link endpointChangeSchema}. */
export type EndpointChange = z.input<typeof endpointChangeSchema>;
/** Rotation of a secret, see {@link secretRotationSchema}. */
export type SecretRotation = z.input<typeof secretRotationSchema>;
/** An endpoint without its secret. */
export type Endpoint = z.infer<typeof endpointSchema>;
/** An endpoint with its secret. */
export type EndpointWithSecret = z.infer<typeof endpointWithSecretSchema>;
/** A page of endpoints. */
export type EndpointPage = z.infer<typeof endpointPageSchema>;
/** Position and size of a page. */
export type PageQuery = z.input<typeof pageQuerySchema>;
