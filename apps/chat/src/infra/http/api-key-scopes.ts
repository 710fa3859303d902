import type { ExecutionContext } from '@nestjs/common';
import { getDescribedScope, type EndpointDescription } from '@switchboard/platform';
import { z } from 'zod';
import { chatErrors } from '../../errors.js';

/** Scopes that an API key may have: to read data, to send messages, and to use all endpoints. */
export const apiKeyScopes = ['read', 'send', 'administer'] as const;

/** Schema of the name of an API key scope. */
export const apiKeyScopeSchema = z.enum(apiKeyScopes);

/**
 * Name of an API key scope. The scope `administer` includes `read` and `send`. Neither `read` nor `send` includes the
 * other scope.
 */
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Credentials of an authenticated request. Credentials without `scopes` may use all endpoints. */
interface ScopedCredentials {
  readonly scopes?: readonly ApiKeyScope[];
}

/** API key scope that an endpoint requires if the endpoint's description declares no scope. */
const defaultEndpointScope: ApiKeyScope = 'administer';

/**
 * Returns true if the credentials of the actor have the given scope. Sessions and unscoped API keys have all scopes.
 */
export function hasApiKeyScope({ scopes }: ScopedCredentials, scope: ApiKeyScope): boolean {
  return scopes === undefined || scopes.includes('administer') || scopes.includes(scope);
}

/**
 * Rejects a request whose API key lacks the scope that the endpoint requires.
 *
 * @throws ApplicationError INSUFFICIENT_SCOPE
 */
export function requireEndpointScope(context: ExecutionContext, actor: ScopedCredentials | null): void {
  if (actor?.scopes === undefined) return;
  const required = apiKeyScopeSchema.parse(getDescribedScope(context.getHandler()) ?? defaultEndpointScope);
  if (hasApiKeyScope(actor, required)) return;
  const fields = { required_scope: required };
  throw chatErrors.create('INSUFFICIENT_SCOPE', { params: fields, fields });
}

/**
 * Returns the description of an endpoint with the required API key scope added. The description is unchanged if the
 * endpoint accepts no API key.
 */
export function addScopeToEndpointDescription(endpoint: EndpointDescription): EndpointDescription {
  const { security, scope: declared, ...described } = endpoint;
  const scope = apiKeyScopeSchema.parse(declared ?? defaultEndpointScope);
  const acceptsKeys = security !== 'none' && security.some((scheme) => scheme === 'basic' || scheme === 'key');
  return { ...described, security, ...(acceptsKeys && { scope }) };
}
