import { parseEnvironmentValues, requireCurrentPepper } from '@switchboard/platform';
import type { z } from 'zod';
import { commonEnv } from '../config.js';
import { chatSlices } from './slices.js';

/** Type of the intersection of a union's members. */
type UnionToIntersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Schemas of the environment variables that the slices declare. */
type SliceEnvironmentVariables = UnionToIntersection<(typeof chatSlices)[number]['configuration']>;

const sliceEnvironmentVariables = Object.assign(
  {},
  ...chatSlices.map(({ configuration }) => configuration),
) as SliceEnvironmentVariables;

/** Schema of the environment variables of the chat service: the common variables and the variables of every slice. */
export const chatEnv = commonEnv.extend(sliceEnvironmentVariables);

/** Parsed environment variables of the chat service. */
export type ServiceConfig = z.infer<typeof chatEnv>;

/** Environment of this process. Programs that it starts inherit a part of it. */
export const programEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Parses the environment variables of the chat service, and the files that they name. Called once, when a process
 * starts.
 *
 * @throws ConfigError with every invalid variable, and in production with every missing secret
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ServiceConfig {
  return requireCurrentPepper(parseEnvironmentValues(chatEnv, env));
}
