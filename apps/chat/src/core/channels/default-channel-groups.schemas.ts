import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Maximum lengths of the name and description of a default channel group, in Unicode code points. */
export const defaultChannelGroupLimits = { name: 60, description: 1024 } as const;

const defaultChannelGroupNameParameter = z
  .string()
  .meta({ description: `At most ${defaultChannelGroupLimits.name} characters` });
const defaultChannelGroupDescriptionParameter = z
  .string()
  .meta({ description: `At most ${defaultChannelGroupLimits.description} characters` });
const channelNamesParameter = z.array(z.string()).max(100).meta({ description: 'Names of channels, at most 100' });

/** Parameters of POST /default_stream_groups/create (docs/contract/chat.md 2.E). */
export const addDefaultChannelGroupParameters = defineParameters(
  z.object({
    group_name: defaultChannelGroupNameParameter,
    description: defaultChannelGroupDescriptionParameter,
    stream_names: channelNamesParameter,
  }),
);

export const updateDefaultChannelGroupParameters = defineParameters(
  z.object({
    new_group_name: defaultChannelGroupNameParameter.optional(),
    new_description: defaultChannelGroupDescriptionParameter.optional(),
  }),
);

export const changeDefaultChannelGroupParameters = defineParameters(
  z.object({ op: z.string().meta({ description: '`add` or `remove`' }), stream_names: channelNamesParameter }),
);

/** Path parameters of the endpoints that change one default channel group. */
export const defaultChannelGroupPathParameters = z.object({ group_id: z.int() });

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the success response body of endpoints that return no data. */
export const channelGroupSuccessResponseBody = createSuccessBodySchema({});
