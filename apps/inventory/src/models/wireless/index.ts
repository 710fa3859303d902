import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { wirelessLan } from './wireless-lan.js';
import { wirelessLanGroup } from './wireless-lan-group.js';
import { wirelessLink } from './wireless-link.js';

/** All models of the app `wireless`. */
export const wirelessModels: readonly ModelDefinition[] = [wirelessLan, wirelessLanGroup, wirelessLink];
