import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';

/**
 * Default values of a device's fields for push notifications. This server does not support push notifications, because
 * they require accounts with vendors.
 */
const defaultDevicePushFields = {
  push_key_id: null,
  push_token_id: null,
  pending_push_token_id: null,
  push_token_last_updated_timestamp: null,
  push_registration_error_code: null,
};

const wireDeviceSchema = z
  .strictObject({
    push_key_id: z.int().nullable(),
    push_token_id: z.string().nullable(),
    pending_push_token_id: z.string().nullable(),
    push_token_last_updated_timestamp: z.int().nullable(),
    push_registration_error_code: z.string().nullable(),
  })
  .meta({ id: 'Device' });

const devicesSnapshotPart = defineSqlSnapshotPart({
  types: ['device'],
  shape: { devices: z.record(z.string(), wireDeviceSchema), push_devices: z.strictObject({}) },
  sql: 'SELECT json_agg(d.id ORDER BY d.id) FROM devices d WHERE d.user_id = $2',
  fields: (ids: number[] | null) => ({
    devices: Object.fromEntries((ids ?? []).map((id) => [String(id), defaultDevicePushFields])),
    push_devices: {},
  }),
});

/** Part of the POST /register response with the registering user's devices. */
export const deviceSnapshotParts = [devicesSnapshotPart];
