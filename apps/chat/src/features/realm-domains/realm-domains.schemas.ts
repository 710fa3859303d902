import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Schema of an accepted email domain in the API (docs/contract/chat.md 2.A). */
export const wireRealmDomainSchema = z.strictObject({ domain: z.string(), allow_subdomains: z.boolean() });

export type WireRealmDomain = z.infer<typeof wireRealmDomainSchema>;

/** Parameters of POST /realm/domains (docs/contract/chat.md 2.H). */
export const realmDomainCreationParameters = defineParameters(
  z.object({ domain: z.string(), allow_subdomains: z.boolean() }),
);

export const realmDomainUpdateParameters = defineParameters(z.object({ allow_subdomains: z.boolean() }));

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

export const realmDomainListResponseBody = createSuccessBodySchema({ domains: z.array(wireRealmDomainSchema) });
export const realmDomainCreationResponseBody = createSuccessBodySchema({ new_domain: z.tuple([z.int(), z.string()]) });
export const emptySuccessResponseBody = createSuccessBodySchema({});

/** Schema of the path parameters of endpoints that address one accepted email domain. */
export const realmDomainPathParameters = z.object({ domain: z.string() });
