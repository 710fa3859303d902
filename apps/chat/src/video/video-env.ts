import { z } from 'zod';

const address = () => z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Providers of video calls, in the environment. Each is offered where it is configured. */
export const videoEnv = {
  JITSI_SERVER_URL: address().optional().meta({
    description: 'Jitsi server of organizations that name none; clients use `https://meet.jit.si` when absent',
  }),
  VIDEO_ZOOM_CLIENT_ID: z.string().default('').meta({ description: 'Id of the OAuth app for Zoom calls' }),
  VIDEO_ZOOM_CLIENT_SECRET: z.string().default('').meta({ description: 'Secret of that app', secret: true }),
  VIDEO_ZOOM_OAUTH_URL: address()
    .default('https://zoom.us')
    .meta({ description: 'Where people let us make Zoom calls for them' }),
  VIDEO_ZOOM_API_URL: address().default('https://api.zoom.us').meta({ description: 'Where Zoom calls are made' }),
  BIG_BLUE_BUTTON_URL: address()
    .optional()
    .meta({ description: 'BigBlueButton server, such as `https://bbb.example.com/bigbluebutton`' }),
  BIG_BLUE_BUTTON_SECRET: z
    .string()
    .default('')
    .meta({ description: 'Secret that signs requests to BigBlueButton', secret: true }),
};

/** The parsed variables of {@link videoEnv}. */
export type VideoConfig = z.output<z.ZodObject<typeof videoEnv>>;
