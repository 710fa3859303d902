import { generateTokenPublicKey, generateTokenSecret } from '@switchboard/auth';
import type { InventoryActor } from '../../engine/object-access.js';
import { inventoryErrors } from '../../errors.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter } from '../../engine/filter/number-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { parseIpNetwork } from '../../engine/field-types/ip-network.js';
import { createListField } from '../../engine/field-types/text-list.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createConstantJsonFragment as fixed } from '../../engine/sql/json-text-sql.js';
import { createInvalidInputProblem } from '../../engine/write/invalid-input-problem.js';
import * as common from '../shared-model-fields.js';

const tokenKeyHintLength = 6;

const tokenSecretTextField = textField({
  nullable: true,
  immutable: true,
  pattern: { expression: /^[\x21-\x7e]{40,128}$/, message: 'A token has 40 to 128 visible ASCII characters.' },
});

/**
 * Field with the secret of an API token. The client sends the secret, or the service generates it. Only the response
 * that creates the token shows the secret, which is never stored (docs/contract/inventory.md 1.2).
 */
const tokenSecretShownOnceField: typeof tokenSecretTextField = {
  ...tokenSecretTextField,
  kind: 'secretOnce',
  column: () => null,
  json: () => [fixed('null')],
  snapshot: () => null,
  filters: () => [],
  order: () => [],
};

/** Model of an API token of a user. */
export const tokenModel = defineModel('users.token', {
  path: 'users/tokens',
  objectName: 'Token',
  verboseName: 'token',
  verboseNamePlural: 'tokens',
  resetOnPut: ['allowed_ips'],
  events: false,
  audit: {
    noun: 'token',
    shownFields: ['user', 'version', 'enabled', 'write_enabled', 'expires', 'allowed_ips'],
  },
  hiddenColumns: { key: 'varchar(12)', hint: 'varchar(6)', digest: 'varchar(128)', pepper_id: 'integer' },
  fields: {
    ...common.identityFields,
    version: choiceField(
      { 1: 'v1', 2: 'v2' },
      { raw: true, numeric: true, default: 2, immutable: true, filterSingle: true },
    ),
    key: textField({ max: 12, nullable: true, readOnly: true }),
    user: referenceField('users.user', {
      required: true,
      immutable: true,
      filterViewedOnly: true,
      onDelete: 'cascade',
      filterBy: 'username',
    }),
    description: common.descriptionField,
    created: datetimeField({ readOnly: true }),
    expires: datetimeField({ nullable: true }),
    last_used: datetimeField({ nullable: true, label: 'last used' }),
    enabled: booleanField({ default: true }),
    write_enabled: booleanField({ default: true, label: 'write enabled' }),
    pepper_id: integerField({ nullable: true, readOnly: true, label: 'pepper ID' }),
    allowed_ips: createListField<string>({
      columnType: 'jsonb',
      child: { type: 'nested object' },
      itemSchema: { type: 'string' },
      label: 'allowed IPs',
      item: parseAllowedNetwork,
    }),
    token: tokenSecretShownOnceField,
  },
  display: (alias) => `coalesce(${alias}.key, repeat('*', ${40 - tokenKeyHintLength}) || ${alias}.hint)`,
  brief: ['id', 'url', 'display', 'version', 'key', 'enabled', 'write_enabled', 'description'],
  nested: ['id', 'url', 'display', 'version', 'key', 'description', 'enabled', 'write_enabled'],
  order: [{ field: 'created', descending: true }],
  search: [
    { sql: (alias) => `${alias}.key`, lookup: 'exact' },
    { sql: (alias) => `(SELECT u.username FROM users_user u WHERE u.id = ${alias}.user_id)`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  rules: [
    ({ expires }, { previous }) =>
      typeof expires === 'string' && expires !== previous?.expires && Date.parse(expires) <= Date.now()
        ? { expires: ['Expiration time must be in the future.'] }
        : null,
  ],
  filters: ['created', 'expires', 'last_used'].map((name) => ({
    ...datetimeFilter(name, (alias) => `${alias}.${name}`),
    lookups: ['gte', 'lte'],
    multiple: false,
  })),
  constraints: [{ name: 'users_token_digest_key', key: 'token', message: 'token with this token already exists.' }],
  hooks: {
    prepare: async ({ user, version, token: given }, { previous, actor, services }) => {
      if (previous !== null) return { columns: {} };
      if (user !== actor.id && !mayCreateTokensForUser(actor, user)) throw inventoryErrors.create('PERMISSION_DENIED');
      const plain = given ?? generateTokenSecret();
      const key = version === 1 ? null : generateTokenPublicKey();
      const { pepperId, digest } = services.digest(plain);
      return {
        columns: { key, digest, pepper_id: pepperId, hint: version === 1 ? plain.slice(-tokenKeyHintLength) : '' },
        reveal: { token: plain },
      };
    },
  },
});

/**
 * Returns true if the requesting user (`actor`) may create API tokens for `user`. To create tokens for another user,
 * the requesting user needs the permission `grant` with constraints that include the other user.
 */
function mayCreateTokensForUser(actor: InventoryActor, user: unknown): boolean {
  if (actor.isSuperuser) return true;
  const about = new Set(['user', 'user_id', 'user__id', 'user__pk']);
  const given = actor.permissions.filter(
    ({ objectTypes, actions }) => objectTypes.includes('users.token') && actions.includes('grant'),
  );
  return given.some(({ constraints }) => {
    const sets = constraints === null ? [{}] : [constraints].flat();
    return sets.some((set) =>
      Object.entries(set).every(([path, value]) =>
        path.endsWith('__in')
          ? about.has(path.slice(0, -4)) && Array.isArray(value) && value.includes(user)
          : about.has(path) && value === user,
      ),
    );
  });
}

function parseAllowedNetwork(value: unknown): string {
  const network = typeof value === 'string' ? parseIpNetwork(value) : null;
  if (network === null)
    throw createInvalidInputProblem(
      `${typeof value === 'string' ? value : JSON.stringify(value)} is not a valid IPv4 or IPv6 network.`,
    );
  if (network.hostBits)
    throw createInvalidInputProblem(
      `${network.address}/${network.length} is not a valid prefix: bits of the host part are set.`,
    );
  return `${network.address}/${network.length}`;
}
