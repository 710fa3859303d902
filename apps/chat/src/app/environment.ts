import { parseEnv } from '@switchboard/platform';
import type { z } from 'zod';
import { commonEnv } from '../config.js';
import { slices } from './slices.js';

/** Type of the intersection of a union's members. */
type IntersectionOf<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Schemas of the environment variables that the slices declare. */
type SliceVariables = IntersectionOf<(typeof slices)[number]['configuration']>;

const sliceVariables = Object.assign({}, ...slices.map(({ configuration }) => configuration)) as SliceVariables;

/** Schema of the environment that the chat service reads: the common variables, and those of every slice. */
export const chatEnv = commonEnv.extend(sliceVariables);

/** Parsed environment variables of the chat service. */
export type ServiceConfig = z.infer<typeof chatEnv>;

/** Environment of this process. Programs that it starts inherit a part of it. */
export const programEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Parses the environment variables of the chat service, with those of the files that they name. A process calls this once, at its start.
 *
 * @throws ConfigError with every invalid variable, and in production with every missing secret
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ServiceConfig {
  return parseEnv(chatEnv, env);
}
