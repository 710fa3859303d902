import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, contract, type DemoUser, signIn } from '../../../test/chat-server.js';
import { acceptedRequests } from '../../../test/fuzz/requests-expected-to-succeed.js';
import { type FuzzedOperation, operationsOf } from '../../../test/fuzz/fuzzed-operations.js';
import { isText, type Schema } from '../../../test/fuzz/random-schema-values.js';

let cluster: ChatCluster;
let desdemona: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  desdemona = await signIn(await cluster.start(), 'desdemona');
});
afterAll(() => cluster.stop());

/**
 * Path of the endpoint whose parameters and errors depend on the name of the integration. The file integrations.spec.ts
 * tests this endpoint.
 */
const webhookPath = '/api/v1/external/{name}';
/** Path of the endpoint that reports an unacceptable path value in a successful response instead of an error. */
const subdomainPath = '/api/v1/realm/subdomain/{subdomain}';

const operations = operationsOf(contract).filter(({ path }) => path.startsWith('/api/v1/') && path !== webhookPath);

async function getRejection(
  { method, path }: FuzzedOperation,
  fields: Readonly<Record<string, string>>,
  part = '999999',
) {
  const url = path.replaceAll(/\{\w+\}/g, part);
  const sent = method === 'GET' ? { query: fields } : { form: fields };
  const { status, body } = await desdemona.client.request<object>(method, url, sent);
  return { status, ...body };
}

const badRequest = { status: 400, result: 'error', code: 'BAD_REQUEST' };

/** Returns the parameters of an endpoint. Omits aliases and the parameter `client`, which is never rejected. */
const own = ({ parameters }: FuzzedOperation) =>
  parameters.filter(({ name, schema }) => name !== 'client' && findAliasedName(schema) === undefined);

/**
 * Returns the parameters of an endpoint that the run tests. The form of a parameter decides which code refuses its
 * value, so a short run tests three texts and three parameters in JSON.
 */
function tested(operation: FuzzedOperation) {
  const parameters = own(operation);
  const texts = parameters.filter(({ schema }) => isText(schema));
  const inJson = parameters.filter(({ schema }) => !isText(schema));
  return [texts, inJson].flatMap((list) => selectCases(list, (_, index) => index < 3));
}

/**
 * Returns the name of the parameter for which another parameter is an alias. The name is read from the description of
 * the alias.
 */
const findAliasedName = ({ description = '' }: Schema) =>
  /^Another name of the parameter (\w+)$/.exec(description)?.[1];

const aliases = (operation: FuzzedOperation) =>
  operation.parameters.flatMap(({ name, schema }) => {
    const other = findAliasedName(schema);
    return other === undefined ? [] : [[other, name] as const];
  });

const named = (has: (operation: FuzzedOperation) => unknown[]) =>
  operations.filter((one) => has(one).length > 0).map((one) => [`${one.method} ${one.path}`, one] as const);

describe('response 400 that names the invalid parameter', () => {
  it.each(named(own))('rejects null bytes in any parameter of %s', async (_name, operation) => {
    for (const parameter of tested(operation)) {
      const { name } = parameter;
      const what = name === 'content' ? 'Message' : name;
      const msg = `${what} must not contain null bytes`;
      const texts = isText(parameter.schema) ? ['a\u0000b'] : ['"\\u0000"', '[{"\\u0000": 1}]'];
      for (const text of texts) expect(await getRejection(operation, { [name]: text })).toEqual({ ...badRequest, msg });
    }
  });

  it.each(named((one) => own(one).filter((parameter) => !isText(parameter.schema))))(
    'rejects invalid JSON in any JSON parameter of %s',
    async (_name, operation) => {
      for (const { name } of tested(operation).filter((parameter) => !isText(parameter.schema))) {
        const msg = `Argument "${name}" is not valid JSON.`;
        expect(await getRejection(operation, { [name]: '{"a": 1' })).toEqual({ ...badRequest, msg });
      }
    },
  );

  it.each(named(aliases))(
    "rejects a parameter of %s that is sent under two of the parameter's names",
    async (_name, operation) => {
      for (const [name, alias] of aliases(operation)) {
        expect(await getRejection(operation, { [name]: '1', [alias]: '1' })).toMatchObject({
          status: 400,
          code: 'REQUEST_CONFUSING_VAR',
          msg: `Can't decide between '${name}' and '${alias}' arguments`,
        });
      }
    },
  );

  it.each(named(({ parameters }) => parameters.filter(({ required }) => required)))(
    'rejects a request to %s without a required parameter',
    async (_name, operation) => {
      const { name } = operation.parameters.find(({ required }) => required)!;
      const msg = `Missing '${name}' argument`;
      const code = 'REQUEST_VARIABLE_MISSING';
      expect(await getRejection(operation, {})).toEqual({ status: 400, result: 'error', code, var_name: name, msg });
    },
  );

  it.each(named(({ path, pathParameters }) => (path === subdomainPath ? [] : [...pathParameters])))(
    'rejects path values of %s that no column can store, before any SQL',
    async (name, operation) => {
      const [fields = {}] = acceptedRequests[name] ?? [];
      for (const part of ['9'.repeat(15), 'a%00b']) {
        const { status, ...body } = await getRejection(operation, fields, part);
        expect([400, 403, 404, 412]).toContain(status);
        // Responses to HEAD have no body.
        if (operation.method !== 'HEAD') expect(body).toMatchObject({ result: 'error' });
      }
      expect(cluster.log.filter((line) => line.includes('database rejected a value'))).toEqual([]);
    },
  );
});
