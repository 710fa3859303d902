import type { Format } from '../define-format.js';
import { github } from './github.js';
import { json } from './json.js';
import { netbox } from './netbox.js';

/** All formats of incoming webhooks, by name in alphabetical order. */
export const formats: readonly Format[] = [github, json, netbox];
