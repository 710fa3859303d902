import { parseEnvironmentValues, requireCurrentPepper } from '@switchboard/platform';
import type { z } from 'zod';
import { commonChatEnvironmentSchema } from '../config.js';
import { chatFeatureModules } from './slices.js';

/** Converts a union type to the intersection type of the union's members. */
type UnionToIntersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Schemas of the environment variables that the feature modules (slices) declare. */
type FeatureModuleEnvironmentVariables = UnionToIntersection<(typeof chatFeatureModules)[number]['configuration']>;

const featureModuleEnvironmentVariables = Object.assign(
  {},
  ...chatFeatureModules.map(({ configuration }) => configuration),
) as FeatureModuleEnvironmentVariables;

/**
 * Schema of the environment variables of the chat service: the common variables and the variables of every feature
 * module.
 */
export const chatEnvironmentSchema = commonChatEnvironmentSchema.extend(featureModuleEnvironmentVariables);

/** Parsed environment variables of the chat service. */
export type ChatServiceConfig = z.infer<typeof chatEnvironmentSchema>;

/** Environment variables of this process. Child processes inherit only a part of these variables. */
export const processEnvironmentVariables: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Parses the environment variables of the chat service, and reads the files that the variables name. Called once, when
 * a process starts.
 *
 * @throws ConfigError with every invalid variable, and in production with every missing secret
 */
export function readChatServiceConfig(env: Record<string, string | undefined> = process.env): ChatServiceConfig {
  return requireCurrentPepper(parseEnvironmentValues(chatEnvironmentSchema, env));
}
