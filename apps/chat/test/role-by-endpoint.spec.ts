import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApiClient, OpenApiOperations, selectCases } from '@switchboard/testing';
import { type ApiKeyScope, apiKeyScopes } from '../src/infra/http/api-key-scopes.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  contract,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { channelEndpoints } from './role-permissions-for-channels.js';
import { organizationEndpoints } from './role-permissions-for-organization.js';
import { accounts, type Endpoint, type Role, roles } from './role-permission-table.js';
import { readOperations, sendOperations } from './role-permissions-of-scopes.js';
import { userEndpoints } from './role-permissions-for-users.js';

const ownDeactivation = 'DELETE /api/v1/users/me';

/** All endpoints for which docs/contract/chat.md 2 and 6.4 state the permitted roles. */
const endpoints = [...organizationEndpoints, ...userEndpoints, ...channelEndpoints];

/**
 * Endpoints that need credentials but are missing from the role tables, with the reason and the spec file that tests
 * their permissions.
 */
const elsewhere: Readonly<Record<string, string>> = {
  'POST /api/v1/users/me/api_key/regenerate': 'it would revoke the credentials of the senders: bots.spec.ts',
  'GET /api/v1/realm/icon': 'a redirect, for every user: realm-images.spec.ts',
  'GET /api/v1/realm/logo': 'a redirect, for every user: realm-images.spec.ts',
  'GET /avatar/{user}': 'a redirect, for users who can see the account: avatars.spec.ts',
  'GET /avatar/{user}/medium': 'a redirect, for users who can see the account: avatars.spec.ts',
  'POST /api/v1/tus': 'for every account, by the tus protocol: resumable-uploads.spec.ts',
  'PATCH /api/v1/tus/{id}': 'for the creator of the upload: resumable-uploads.spec.ts',
  'DELETE /api/v1/tus/{id}': 'for the creator of the upload: resumable-uploads.spec.ts',
  'GET /user_uploads/{realm_id}/{path}': 'for users who can read a message with the file: uploads.spec.ts',
  'GET /user_uploads/thumbnail/{realm_id}/{path}': 'for users who can read a message with the file: uploads.spec.ts',
};

const operationsOf = { read: readOperations, send: sendOperations };

/**
 * Endpoints that accept an API key, with the scopes stated in the OpenAPI document. The deactivation of the own account
 * comes last, because the deactivation invalidates the API keys of the test.
 */
const scopedOperations = Object.entries(contract.paths ?? {})
  .flatMap(([path, item]) =>
    (['get', 'head', 'put', 'post', 'patch', 'delete'] as const).flatMap((method) => {
      const required = item[method]?.security?.find((scheme) => 'basic' in scheme || 'key' in scheme);
      if (required === undefined) return [];
      const upper = method.toUpperCase() as Uppercase<typeof method>;
      return [{ name: `${upper} ${path}`, method: upper, path, scopes: Object.values(required).flat() }];
    }),
  )
  .toSorted((one, two) => Number(one.name === ownDeactivation) - Number(two.name === ownDeactivation));

let cluster: ChatCluster;
let chat: ChatProcess;
const people = new Map<Role, DemoUser>();
/** Clients with a key that has one scope, by role and scope. */
const scopedClients = new Map<`${Role} ${ApiKeyScope}`, InProcessApiClient>();
/** Id of a user group whose owner sends none of the tested requests. */
let groupId = 0;
/** Id of a bot whose owner sends none of the tested requests. */
let botId = 0;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  for (const role of roles) people.set(role, await signIn(chat, accounts[role]));
  const cordelia = await signIn(chat, 'cordelia');
  const group = await cordelia.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
    form: { name: 'theirs', description: 'as it is', members: '[]' },
  });
  groupId = group.body.group_id;
  const bot = await cordelia.client.post<{ user_id: number }>('/api/v1/bots', {
    form: { full_name: 'Their Robot', short_name: 'theirs' },
  });
  botId = bot.body.user_id;
  for (const role of roles) await addScopedKeys(role);
});
afterAll(() => cluster.stop());

async function addScopedKeys(role: Role): Promise<void> {
  const [user, owner] = [people.get(role)!, people.get(role === 'bot' ? 'administrator' : role)!];
  const path = role === 'bot' ? `bots/${user.id}/api_keys` : 'users/me/api_keys';
  for (const scope of apiKeyScopes) {
    const form = { name: scope, scopes: JSON.stringify([scope]) };
    const { body } = await owner.client.post<{ api_key: string }>(`/api/v1/${path}`, { form });
    scopedClients.set(`${role} ${scope}`, chat.client.withHeaders(createBasicAuthorization(user.email, body.api_key)));
  }
}

async function sendRequest(client: InProcessApiClient, { method, path, form = {} }: Endpoint) {
  const url = `/api/v1/${path.replace('{group}', String(groupId)).replace('{bot}', String(botId))}`;
  const { body } =
    method === 'get'
      ? await client.get<{ msg: string; code?: string }>(url)
      : await client[method]<{ msg: string; code?: string }>(url, { form });
  return { code: body.code, msg: body.msg };
}

const documentedOperations = new OpenApiOperations(contract);

/** Returns the method and the path template of an endpoint, as in the OpenAPI document. */
function operationNameOf({ method, path }: Endpoint): string {
  const found = documentedOperations.findOperation(method, `/api/v1/${path}`);
  return `${method.toUpperCase()} ${found?.path ?? path}`;
}

describe.each(endpoints)('$method $path $form', (endpoint) => {
  it.each(endpoint.asks ?? roles)(
    'allows or rejects the request of the user %s according to the role',
    async (role) => {
      const refusal = endpoint.refused?.[role];
      const response = await sendRequest(people.get(role)!.client, endpoint);
      if (refusal === undefined) expect(response.msg).toBe(endpoint.allowed);
      else expect(response).toEqual(refusal);
    },
  );

  it.each(selectCases(endpoint.asks ?? roles, (_role, index) => index === 0))(
    'gives each API key of the user %s the access of its scope only',
    async (role) => {
      const unscoped = await sendRequest(people.get(role)!.client, endpoint);
      for (const scope of apiKeyScopes) {
        const isAllowed = scope === 'administer' || operationsOf[scope].includes(operationNameOf(endpoint));
        const response = await sendRequest(scopedClients.get(`${role} ${scope}`)!, endpoint);
        if (isAllowed) expect({ scope, ...response }).toEqual({ scope, ...unscoped });
        else expect({ scope, code: response.code }).toEqual({ scope, code: 'INSUFFICIENT_SCOPE' });
      }
    },
  );

  it('responds 401 without credentials', async () => {
    const { method, path, form = {} } = endpoint;
    const url = `/api/v1/${path.replace('{group}', '1').replace('{bot}', '1')}`;
    const { status } = method === 'get' ? await chat.client.get(url) : await chat.client[method](url, { form });
    expect(status).toBe(401);
  });
});

describe('scopes of API keys', () => {
  const keys = new Map<ApiKeyScope, InProcessApiClient>();

  beforeAll(async () => {
    const aaron = await signIn(chat, 'aaron');
    for (const scope of apiKeyScopes) {
      const { body } = await aaron.client.post<{ api_key: string }>('/api/v1/users/me/api_keys', {
        form: { name: scope, scopes: JSON.stringify([scope]) },
      });
      keys.set(scope, chat.client.withHeaders(createBasicAuthorization(aaron.email, body.api_key)));
    }
  });

  it.each(scopedOperations)(
    'admit requests to $name only for keys with the expected scope or administer',
    async (operation) => {
      const { name, method, path } = operation;
      for (const scope of apiKeyScopes) {
        const client = keys.get(scope) ?? chat.client;
        const { status, body } = await client.request<{ code?: string } | undefined>(
          method,
          path.replaceAll(/\{\w+\}/g, '999999'),
          { unchecked: true },
        );
        const isAllowed = status !== 403 || (method !== 'HEAD' && body?.code !== 'INSUFFICIENT_SCOPE');
        const expected = scope === 'administer' || operationsOf[scope].includes(name);
        expect({ scope, isAllowed }).toEqual({ scope, isAllowed: expected });
      }
    },
  );

  it('equal the scopes in the OpenAPI document for every operation that accepts a key', () => {
    for (const { name, scopes } of scopedOperations) {
      const known = readOperations.includes(name) ? 'read' : sendOperations.includes(name) ? 'send' : 'administer';
      expect({ name, scopes }).toEqual({ name, scopes: [known] });
    }
    const names = new Set(scopedOperations.map(({ name }) => name));
    expect([...readOperations, ...sendOperations].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('role table', () => {
  it('lists every endpoint that requires credentials, or names the spec file that tests the endpoint', () => {
    const shown = endpoints.map(operationNameOf);
    const signed = Object.entries(contract.paths ?? {}).flatMap(([path, item]) =>
      (['get', 'put', 'post', 'patch', 'delete'] as const)
        .filter((method) => item[method]?.security?.some((scheme) => 'basic' in scheme) === true)
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...new Set([...shown, ...Object.keys(elsewhere)])].toSorted()).toEqual(signed.toSorted());
    expect(shown.filter((name) => name in elsewhere)).toEqual([]);
  });
});
