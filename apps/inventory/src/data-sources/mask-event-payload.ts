import { maskedSecret } from '../engine/sealed/encrypted-text-sql.js';
import { secretDataSourceParameterNames } from '../models/core/source-parameters.js';

/** JSON text of an event's payload with asterisks in place of secrets, and the list of replaced secrets. */
export interface MaskedEventPayload {
  readonly text: string;
  readonly secrets: readonly string[];
}

/**
 * Returns an event's payload with masked data source secrets, or null for a payload without secrets.
 *
 * @param text JSON of an outbox row or of a webhook delivery
 */
export function maskEventPayload(text: string): MaskedEventPayload | null {
  const payload: unknown = JSON.parse(text);
  const snapshots = getPayloadMember(payload, 'snapshots');
  const sources = [
    getPayloadMember(payload, 'data'),
    getPayloadMember(snapshots, 'prechange'),
    getPayloadMember(snapshots, 'postchange'),
  ];
  const secrets = sources.flatMap((source) => maskSecretsInParameters(getPayloadMember(source, 'parameters')));
  return secrets.length === 0 ? null : { text: JSON.stringify(payload), secrets: [...new Set(secrets)] };
}

/** Replaces the secrets in the given data source parameters by asterisks, in place. Returns the replaced secrets. */
function maskSecretsInParameters(parameters: unknown): readonly string[] {
  if (!isPayloadObject(parameters)) return [];
  return secretDataSourceParameterNames.flatMap((name) => {
    const value = getPayloadMember(parameters, name);
    if (value === undefined || value === null || value === '' || value === maskedSecret) return [];
    parameters[name] = maskedSecret;
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
}

function getPayloadMember(value: unknown, name: string): unknown {
  return isPayloadObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isPayloadObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
