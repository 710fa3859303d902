import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const pushTokenParameter = z
  .string()
  .meta({ description: 'Token that the push service of the platform gave to the app' });

/** Request parameters of the endpoints that add or remove a push token. */
export const pushTokenParameters = defineParameters(z.object({ token: pushTokenParameter }));

export const appleTokenParameters = defineParameters(
  z.object({
    token: pushTokenParameter,
    appid: z
      .string()
      .max(200)
      .regex(/^[.a-zA-Z0-9-]+$/)
      .meta({ description: 'Bundle identifier of the app' }),
  }),
);

export const testPushNotificationParameters = defineParameters(
  z.object({ token: z.string().optional().meta({ description: 'Only the device with this token; all without it' }) }),
);

export const encryptedTestNotificationParameters = defineParameters(
  z.object({ device_id: z.int().optional().meta({ description: 'Only this device; all without it' }) }),
);

/** Parameters of POST /mobile_push/register (docs/contract/chat.md 2.I). */
export const pushDeviceRegistrationParameters = defineParameters(
  z.object({
    device_id: z.int(),
    push_key_id: z.int().min(0).max(4_294_967_295).optional(),
    push_key: z.string().optional(),
    token_kind: z.enum(['fcm', 'apns']).optional(),
    token_id: z.string().optional(),
    bouncer_public_key: z.string().optional(),
    encrypted_push_registration: z.string().optional(),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
