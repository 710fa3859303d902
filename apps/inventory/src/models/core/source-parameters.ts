import type { ModelField } from '../../engine/declaration/field.js';
import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { jsonField } from '../../engine/field-types/json.js';
import { createQualifiedColumnSql } from '../../engine/field-types/field-traits.js';
import { maskedSecret } from '../../engine/sealed/encrypted-text-sql.js';
import type { ModelHookServices } from '../../engine/model-hook-services.js';
import { createJsonValueFragment, type SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Names of the data source parameters that are secrets. The column of the same name contains the encrypted secret, or
 * '' if the secret is not set.
 */
export const secretDataSourceParameterNames = ['password', 'aws_secret_access_key'] as const;

/** SQL types of the columns that store {@link secretDataSourceParameterNames}, by column name. */
export const secretParameterColumnTypes = Object.fromEntries(
  secretDataSourceParameterNames.map((name) => [name, 'text']),
);

/**
 * Returns the SQL condition that data source parameters contain a secret in clear, as processes of older versions store
 * them.
 *
 * @param parameters SQL expression of type jsonb
 */
export function createClearSecretCondition(parameters: SqlText): SqlText {
  return `(${secretDataSourceParameterNames.map((name) => createIsClearSecretSql(parameters, name)).join(' OR ')})`;
}

/** Returns the SQL expression of the parameters of a data source, in which secrets are replaced with asterisks. */
export function createMaskedParametersSql(parameters: SqlText): SqlText {
  return secretDataSourceParameterNames.reduce(
    (masked, name) =>
      `CASE WHEN ${createIsClearSecretSql(parameters, name)} THEN jsonb_set(${masked}, '{${name}}', '"${maskedSecret}"') ELSE ${masked} END`,
    parameters,
  );
}

function createIsClearSecretSql(parameters: SqlText, name: string): SqlText {
  return `coalesce(${parameters} ->> '${name}', '') NOT IN ('', '${maskedSecret}')`;
}

/**
 * Returns the purpose, a text, with which a secret parameter of a data source is encrypted and decrypted; see
 * `createFieldEncryptionPurpose`.
 */
export function getParameterEncryptionPurpose(name: string): string {
  return `core.datasource.${name}`;
}

/**
 * Field with the parameters of a data source. Responses show asterisks instead of secrets. An update leaves a secret
 * unchanged if it omits the secret or sends asterisks. Null or '' removes the secret.
 */
export const dataSourceParametersField: ModelField<unknown> = {
  ...jsonField({ nullable: true }),
  json: (place) => [createJsonValueFragment(createMaskedParametersSql(createQualifiedColumnSql(place, place.name)))],
  snapshot: (place) => [
    createJsonValueFragment(createMaskedParametersSql(createQualifiedColumnSql(place, place.name))),
  ],
  combine: (before, sent) => {
    const stored = secretDataSourceParameterNames.flatMap((name) =>
      hasDataSourceParameter(before, name) ? [[name, getDataSourceParameter(before, name)]] : [],
    );
    return isDataSourceParametersObject(sent) ? { ...Object.fromEntries(stored), ...sent } : sent;
  },
};

/**
 * Encrypts the secret parameters of a data source. Returns the new values of the columns that store changed secrets.
 */
export function encryptDataSourceParameters(
  given: unknown,
  previous: unknown,
  seal: ModelHookServices['seal'],
): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  const shown: Record<string, unknown> = isDataSourceParametersObject(given) ? { ...given } : {};
  for (const name of secretDataSourceParameterNames) {
    const sent = getDataSourceParameter(given, name);
    if (sent === maskedSecret && getDataSourceParameter(previous, name) === maskedSecret) continue;
    // A process of an older version may have stored the previous value in clear.
    const value = sent === maskedSecret ? getDataSourceParameter(previous, name) : sent;
    if (sent === maskedSecret) Reflect.deleteProperty(shown, name);
    const isSecret = hasDataSourceParameter({ [name]: value }, name);
    columns[name] = isSecret
      ? seal(typeof value === 'string' ? value : JSON.stringify(value), getParameterEncryptionPurpose(name))
      : '';
    if (isSecret) shown[name] = maskedSecret;
  }
  return { ...columns, parameters: isDataSourceParametersObject(given) ? shown : given };
}

/** Type and URL of a data source, which determine the server to which the secrets of the data source are sent. */
interface DataSourceAddress {
  readonly source_url?: unknown;
  readonly parameters?: unknown;
}

/**
 * Rejects a change of a data source's server unless the request contains new secrets. Otherwise, users who may change a
 * data source but cannot see its secrets could make the service send the secrets to their own server.
 */
export function rejectSecretsForMovedSource(
  source: DataSourceAddress,
  previous: DataSourceAddress | null,
): ValidationMessagesByField | null {
  if (previous === null || isSameServerAddress(source.source_url, previous.source_url)) return null;
  const kept = secretDataSourceParameterNames.filter(
    (name) =>
      hasDataSourceParameter(previous.parameters, name) &&
      [getDataSourceParameter(previous.parameters, name), maskedSecret].includes(
        getDataSourceParameter(source.parameters, name),
      ),
  );
  if (kept.length === 0) return null;
  return { parameters: [`Enter ${kept.join(' and ')} again, or null: the value was given for another server.`] };
}

/**
 * Returns true if two URLs are equal, or have the same scheme and host. A text that is not a URL with a host has the
 * same server only as an equal text.
 */
function isSameServerAddress(url: unknown, other: unknown): boolean {
  return url === other || (getOriginOfUrl(url) !== null && getOriginOfUrl(url) === getOriginOfUrl(other));
}

function getOriginOfUrl(text: unknown): string | null {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : null;
  return url === null || url.host === '' ? null : `${url.protocol}//${url.host}`;
}

function hasDataSourceParameter(parameters: unknown, name: string): boolean {
  return ![undefined, null, ''].includes(getDataSourceParameter(parameters, name) as null);
}

function getDataSourceParameter(parameters: unknown, name: string): unknown {
  return isDataSourceParametersObject(parameters) && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function isDataSourceParametersObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
