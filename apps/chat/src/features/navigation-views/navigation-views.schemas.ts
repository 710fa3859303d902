import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireNavigationViewSchema } from './wire-navigation-view.js';

/** Maximum lengths in code points of the URL fragment and of the name of a navigation view. */
export const navigationViewLengthLimits = { fragment: 500, name: 100 } as const;

/** Parameters of POST /navigation_views (docs/contract/chat.md 2.D). */
export const navigationViewCreationParameters = defineParameters(
  z.object({
    fragment: z.string(),
    is_pinned: z.boolean(),
    name: z.string().optional().meta({ description: 'Required for views that are not built into every client' }),
  }),
);

/** Parameters of PATCH /navigation_views/{fragment} (chat-4.18). */
export const navigationViewUpdateParameters = defineParameters(
  z.object({ is_pinned: z.boolean().optional(), name: z.string().optional() }),
);

export const navigationViewListResponseBody = createSuccessBodySchema({
  navigation_views: z.array(wireNavigationViewSchema),
});

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one navigation view by URL fragment. */
export const navigationViewPathParameters = z.object({ fragment: z.string() });
