import { maskedSecret } from '../engine/sealed/encrypted-text-sql.js';
import { secretParameters } from '../models/core/source-parameters.js';

/** JSON of an event's payload with asterisks in place of secrets, and the secrets that were replaced. */
export interface MaskedEventPayload {
  readonly text: string;
  readonly secrets: readonly string[];
}

/**
 * Returns an event's payload with masked data source secrets, or null if it contains none.
 *
 * @param text JSON of an outbox row or of a webhook delivery
 */
export function maskEventPayload(text: string): MaskedEventPayload | null {
  const payload: unknown = JSON.parse(text);
  const snapshots = getMember(payload, 'snapshots');
  const sources = [getMember(payload, 'data'), getMember(snapshots, 'prechange'), getMember(snapshots, 'postchange')];
  const secrets = sources.flatMap((source) => maskParameters(getMember(source, 'parameters')));
  return secrets.length === 0 ? null : { text: JSON.stringify(payload), secrets: [...new Set(secrets)] };
}

/** Replaces the secrets in data source parameters by asterisks. Returns the replaced secrets. */
function maskParameters(parameters: unknown): readonly string[] {
  if (!isObject(parameters)) return [];
  return secretParameters.flatMap((name) => {
    const value = getMember(parameters, name);
    if (value === undefined || value === null || value === '' || value === maskedSecret) return [];
    parameters[name] = maskedSecret;
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
}

function getMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
