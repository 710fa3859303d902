import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { wirelessLanModel } from './wireless-lan.js';
import { wirelessLanGroupModel } from './wireless-lan-group.js';
import { wirelessLinkModel } from './wireless-link.js';

/** All models of the app `wireless`. */
export const wirelessModels: readonly ModelDefinition[] = [wirelessLanModel, wirelessLanGroupModel, wirelessLinkModel];
