import { z } from 'zod';
import { incomingWebhookSecretConfigKey } from '../../core/users/index.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { webhookFormats } from './formats/index.js';

const integrationOptionSchema = z.strictObject({ key: z.string(), label: z.string(), validator: z.string() });

/** List of the integrations that clients offer for new incoming webhook bots. The list is the same for all users. */
const offeredIntegrationsSnapshotPart = webhookFormats.map(({ name, displayName, eventNames, signature, options }) => ({
  name,
  display_name: displayName,
  all_event_types: eventNames === null ? null : [...eventNames],
  config_options:
    signature === undefined
      ? []
      : [{ key: incomingWebhookSecretConfigKey, label: signature.label, validator: 'check_string' }],
  url_options: options.map(({ key, label, isFlag }) => ({
    key,
    label,
    validator: isFlag ? 'check_bool' : 'check_string',
  })),
}));

/**
 * Part of the POST /register response with the formats of incoming webhooks that the server supports
 * (docs/contract/chat.md 4.2).
 */
export const integrationSnapshotParts = [
  defineSnapshotPart({
    types: ['realm_incoming_webhook_bots'],
    shape: {
      realm_incoming_webhook_bots: z.array(
        z.strictObject({
          name: z.string(),
          display_name: z.string(),
          all_event_types: z.array(z.string()).nullable(),
          config_options: z.array(integrationOptionSchema),
          url_options: z.array(integrationOptionSchema),
        }),
      ),
    },
    read: () => ({ realm_incoming_webhook_bots: offeredIntegrationsSnapshotPart }),
  }),
];
