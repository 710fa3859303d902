import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Schema of an accepted email domain in the API (docs/contract/chat.md 2.A). */
export const wireRealmDomainSchema = z.strictObject({ domain: z.string(), allow_subdomains: z.boolean() });

export type WireRealmDomain = z.infer<typeof wireRealmDomainSchema>;

/** Parameters of POST /realm/domains (docs/contract/chat.md 2.H). */
export const addDomainParameters = defineParameters(z.object({ domain: z.string(), allow_subdomains: z.boolean() }));

/** Parameters of PATCH /realm/domains/{domain}. */
export const updateDomainParameters = defineParameters(z.object({ allow_subdomains: z.boolean() }));

/** Schema of the request parameters of endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));

/** Response of GET /realm/domains. */
export const domainsResponseBody = successBody({ domains: z.array(wireRealmDomainSchema) });
export const newDomainResponseBody = successBody({ new_domain: z.tuple([z.int(), z.string()]) });
export const emptySuccessResponseBody = successBody({});

/** Schema of the path parameters of endpoints that address one accepted email domain. */
export const domainPathParameters = z.object({ domain: z.string() });
