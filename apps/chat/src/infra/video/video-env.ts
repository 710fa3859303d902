import { z } from 'zod';

const createServerUrlVariableSchema = () => z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/**
 * Environment variables of video-call providers. Organizations can choose only providers that the operator has
 * configured.
 */
export const videoCallEnvironmentVariables = {
  JITSI_SERVER_URL: createServerUrlVariableSchema().optional().meta({
    description: 'Jitsi server of organizations that configure none; clients use `https://meet.jit.si` by default',
  }),
  VIDEO_ZOOM_CLIENT_ID: z.string().default('').meta({ description: 'Client id of the OAuth app for Zoom calls' }),
  VIDEO_ZOOM_CLIENT_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Client secret of the OAuth app for Zoom calls', secret: true }),
  VIDEO_ZOOM_OAUTH_URL: createServerUrlVariableSchema()
    .default('https://zoom.us')
    .meta({ description: 'Base URL of Zoom OAuth' }),
  VIDEO_ZOOM_API_URL: createServerUrlVariableSchema()
    .default('https://api.zoom.us')
    .meta({ description: 'Base URL of the Zoom API' }),
  VIDEO_WEBEX_CLIENT_ID: z.string().default('').meta({ description: 'Client id of the integration for Webex calls' }),
  VIDEO_WEBEX_CLIENT_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Client secret of the integration for Webex calls', secret: true }),
  VIDEO_WEBEX_API_URL: createServerUrlVariableSchema()
    .default('https://webexapis.com')
    .meta({ description: 'Base URL of the Webex API and of Webex OAuth' }),
  BIG_BLUE_BUTTON_URL: createServerUrlVariableSchema()
    .optional()
    .meta({ description: 'BigBlueButton server, such as `https://bbb.example.com/bigbluebutton`' }),
  BIG_BLUE_BUTTON_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Secret that signs requests to the BigBlueButton server', secret: true }),
  CONSTRUCTOR_GROUPS_URL: createServerUrlVariableSchema()
    .optional()
    .meta({ description: 'API of Constructor Groups, such as `https://constructor.app/api/groups/xapi`' }),
  CONSTRUCTOR_GROUPS_ACCESS_KEY: z.string().default('').meta({ description: 'Access key of Constructor Groups' }),
  CONSTRUCTOR_GROUPS_SECRET_KEY: z
    .string()
    .default('')
    .meta({ description: 'Secret key of Constructor Groups', secret: true }),
  NEXTCLOUD_SERVER: createServerUrlVariableSchema()
    .optional()
    .meta({ description: 'Nextcloud server with the app Talk for video calls' }),
  NEXTCLOUD_TALK_USERNAME: z
    .string()
    .default('')
    .meta({ description: 'Nextcloud account that creates the conversations of calls' }),
  NEXTCLOUD_TALK_PASSWORD: z
    .string()
    .default('')
    .meta({ description: 'App password of the Nextcloud account', secret: true }),
};

/** Parsed values of {@link videoCallEnvironmentVariables}. */
export type VideoConfig = z.output<z.ZodObject<typeof videoCallEnvironmentVariables>>;
