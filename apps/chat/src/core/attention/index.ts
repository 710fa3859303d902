export { Attention, type MessageAttention } from './attention.js';
