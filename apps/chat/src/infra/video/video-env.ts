import { z } from 'zod';

const address = () => z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Environment variables of video-call providers. A provider is offered if it is configured. */
export const videoEnv = {
  JITSI_SERVER_URL: address().optional().meta({
    description: 'Jitsi server of organizations without one of their own; clients use `https://meet.jit.si` by default',
  }),
  VIDEO_ZOOM_CLIENT_ID: z.string().default('').meta({ description: 'Client id of the OAuth app for Zoom calls' }),
  VIDEO_ZOOM_CLIENT_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Client secret of the OAuth app for Zoom calls', secret: true }),
  VIDEO_ZOOM_OAUTH_URL: address().default('https://zoom.us').meta({ description: 'Base URL of Zoom OAuth' }),
  VIDEO_ZOOM_API_URL: address().default('https://api.zoom.us').meta({ description: 'Base URL of the Zoom API' }),
  BIG_BLUE_BUTTON_URL: address()
    .optional()
    .meta({ description: 'BigBlueButton server, such as `https://bbb.example.com/bigbluebutton`' }),
  BIG_BLUE_BUTTON_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Secret that signs requests to the BigBlueButton server', secret: true }),
};

/** Parsed values of {@link videoEnv}. */
export type VideoConfig = z.output<z.ZodObject<typeof videoEnv>>;
