const REDACTED_TEXT = '[hidden]';

/** Names of properties whose values are redacted in logs, in any letter case and at any depth. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'cookies',
  'setcookie',
  'password',
  'oldpassword',
  'newpassword',
  'apikey',
  'token',
  'secret',
]);

/** Maximum depth of nested values in a log line. The maximum limits the cost of one line and ends cycles. */
const MAX_LOGGED_DEPTH = 6;

/**
 * Cache of whether the values of a property name are redacted, by the spelling of the name. `Api-Key`, `api_key` and
 * `apiKey` are spellings of the same name. The cache's size is limited, because names may come from clients.
 */
const secretNameCache = new Map<string, boolean>();
function isSecretName(name: string): boolean {
  const known = secretNameCache.get(name);
  if (known !== undefined) {
    return known;
  }
  const verdict = SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
  if (secretNameCache.size < 1000) {
    secretNameCache.set(name, verdict);
  }
  return verdict;
}

/**
 * Returns a copy of logged fields in which the values of sensitive names are replaced. An object with a method `toJSON`
 * is replaced by the result of this method. Errors and binary values are left unchanged for pino's serializers.
 */
export function redactLogFields(value: Record<string, unknown>): Record<string, unknown> {
  // Nearly every log line is flat and has no sensitive name; it is returned without a copy.
  for (const name in value) {
    if (isSecretName(name) || (typeof value[name] === 'object' && value[name] !== null)) {
      return redactObject(value, 0);
    }
  }
  return value;
}

function redactObject(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    copy[name] = isSecretName(name) ? REDACTED_TEXT : redactValue(member, depth + 1);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) {
    return value;
  }
  if (depth > MAX_LOGGED_DEPTH) {
    return '[deep]';
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return redactValue(value.toJSON(), depth + 1);
  }
  return Array.isArray(value) ? value.map((item) => redactValue(item, depth + 1)) : redactObject(value, depth);
}
